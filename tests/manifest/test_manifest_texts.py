import pytest

from connectors.manifest.texts import choose_locale, text_for
from connectors.manifest.tool_keys import tool_key

TEXTS = {"en": {"name": "Notes", "only": "English"}, "zh-CN": {"name": "笔记"}, "zh-TW": {"name": "筆記"}}


@pytest.mark.parametrize(
    ("language", "locale"),
    [
        ("en", "en"),
        ("en-gb", "en"),
        ("zh-CN", "zh-CN"),
        ("zh_cn", "zh-CN"),
        ("zh-hans", "zh-CN"),
        ("zh", "zh-CN"),
        ("zh-Hans-SG", "zh-CN"),
        ("zh-hant", "zh-TW"),
        ("zh-HK", "zh-TW"),
        ("fr", "en"),
    ],
)
def test_a_reader_gets_the_nearest_locale(language, locale):
    assert choose_locale(TEXTS.keys(), language=language, default_locale="en") == locale


def test_the_default_locale_is_preferred_among_equals():
    assert choose_locale(["pt-BR", "pt-PT"], language="pt", default_locale="pt-PT") == "pt-PT"


def test_a_text_is_read_in_the_readers_language_else_in_the_default_else_its_key_shows():
    assert text_for(TEXTS, "name", language="zh-hans", default_locale="en") == "笔记"
    assert text_for(TEXTS, "only", language="zh-hans", default_locale="en") == "English"
    assert text_for(TEXTS, "nowhere", language="zh-hans", default_locale="en") == "nowhere"


@pytest.mark.parametrize("key", [None, ""])
def test_no_key_is_no_text(key):
    assert text_for(TEXTS, key, language="en", default_locale="en") == ""


def test_a_tool_is_keyed_by_its_server_only_where_there_are_several():
    assert tool_key(None, "get_range") == "get_range"
    assert tool_key("sheets", "get_range") == "sheets/get_range"
