"""Forms that a manifest describes: drawn in the reader's language, judged by the manifest, secrets never drawn."""

import pytest
from django.utils import translation

from connectors.console.forms.manifest_form import ManifestForm
from connectors.errors import Fault
from connectors.manifest.fields import Field, Option

TEXTS = {
    "en": {
        "url": "Address",
        "key": "Key",
        "size": "Size",
        "on": "Active",
        "zone": "Zone",
        "eu": "Europe",
        "group": "Service",
    },
    "zh-CN": {
        "url": "地址",
        "key": "密钥",
        "size": "大小",
        "on": "启用",
        "zone": "区域",
        "eu": "欧洲",
        "group": "服务",
    },
}
FIELDS = [
    Field(key="url", type="url", label_key="url", group_key="group", required=True),
    Field(key="key", type="secret", label_key="key", group_key="group", required=True),
    Field(key="size", type="integer", label_key="size", minimum=1, maximum=9),
    Field(key="on", type="boolean", label_key="on", default=True),
    Field(key="zone", type="select", label_key="zone", options=(Option(value="eu", label_key="eu"),)),
]
GOOD = {"url": "https://example.com/mcp", "key": "s3cret", "size": "3", "on": "false", "zone": "eu"}


def form(data=None, **more):
    return ManifestForm(data, fields=FIELDS, texts=TEXTS, default_locale="en", **more)


def test_good_values_are_parsed():
    parsed = form(GOOD).parse()

    assert parsed.public == {"url": "https://example.com/mcp", "size": 3, "on": False, "zone": "eu"}
    assert parsed.secrets["key"].reveal() == "s3cret"


def test_every_fault_is_told_at_once_each_on_its_field():
    filled = form(GOOD | {"url": "ftp://x", "size": "10", "key": ""})

    assert filled.parse() is None
    assert set(filled.errors) == {"url", "size", "key"}


def test_a_secret_is_not_drawn_back():
    filled = form(GOOD | {"url": ""})
    filled.parse()

    assert "s3cret" not in str(filled)
    assert "s3cret" not in str(filled["key"])


def test_a_typed_value_is_drawn_back():
    filled = form(GOOD | {"url": "ftp://x"})
    filled.parse()

    assert 'value="ftp://x"' in str(filled["url"])


def test_a_secret_that_is_kept_may_stay_blank():
    assert form(GOOD | {"key": ""}, kept={"key"}).parse() is not None


def test_a_value_that_was_not_sent_takes_its_default():
    assert form({key: value for key, value in GOOD.items() if key != "on"}).parse().public["on"] is True


def test_what_else_was_sent_is_left_alone():
    assert form(GOOD | {"csrfmiddlewaretoken": "x", "other": "y"}).parse() is not None


@pytest.mark.parametrize(("language", "label"), [("en", "Address"), ("zh-hans", "地址"), ("fr", "Address")])
def test_labels_are_in_the_readers_language_or_the_default(language, label):
    with translation.override(language):
        assert form()["url"].label == label


def test_fields_stand_in_their_groups_in_order():
    assert [(title, [field.name for field in fields]) for title, fields in form().groups()] == [
        ("Service", ["url", "key"]),
        ("", ["size", "on", "zone"]),
    ]


def test_a_fault_of_no_field_stands_above_the_form():
    filled = form(GOOD)
    filled.add_faults([Fault("value_required", "somewhere_else")])

    assert filled.non_field_errors()


def test_required_fields_are_marked_for_screen_readers():
    assert 'aria-required="true"' in str(form()["url"])
    assert "aria-required" not in str(form()["size"])
