"""What two packages differ in besides their manifests."""

from dataclasses import replace

import pytest

from connectors.packages.difference import compare_packages, describe_side
from connectors.packages.inspection import inspect_folder
from tests.builders.packages import build_folder


@pytest.fixture
def side(tmp_path):
    return describe_side(inspect_folder(build_folder(tmp_path / "package")))


def test_a_package_does_not_differ_from_itself(side):
    assert compare_packages(side, side) == ()


def test_texts_are_counted_a_language(side):
    locale = next(iter(side.texts))
    texts = dict(side.texts[locale])
    first, second, *_ = texts
    texts[first], texts["new"] = "said otherwise", "said for the first time"
    del texts[second]
    (change,) = compare_packages(side, replace(side, texts={**side.texts, locale: texts}))
    assert (change.kind, change.subject, change.after) == ("text_changed", locale, "3")
