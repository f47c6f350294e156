"""Sentences stand one after the other, as each language writes them."""

import pytest

from connectors.console.rendering.sentences import join_sentences


@pytest.mark.parametrize(
    ("sentences", "told"),
    [
        (("It failed.", "Try again."), "It failed. Try again."),
        (("没有响应。", "请重试。"), "没有响应。请重试。"),
        (("没有响应。", "", None, "Try again."), "没有响应。Try again."),
        ((), ""),
    ],
)
def test_sentences_are_joined_as_their_language_writes_them(sentences, told):
    assert join_sentences(*sentences) == told
