import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.errors import Invalid
from connectors.manifest.fields import Field, Option
from connectors.manifest.values import ParsedValues, parse_values


def make_field(type_, key="value", **more):
    return Field(key=key, type=type_, label_key="label", **more)


def faults_of(fields, raw, **more):
    with pytest.raises(Invalid) as caught:
        parse_values(fields, raw, **more)
    return [(fault.where, fault.code) for fault in caught.value.faults]


SELECT = make_field("select", options=(Option(value="cn", label_key="a"), Option(value="global", label_key="b")))


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        (make_field("text"), "  Ada Lovelace ", "Ada Lovelace"),
        (make_field("text"), "密钥", "密钥"),
        (make_field("text", max_length=2), "密钥", "密钥"),
        (make_field("url"), " https://example.com/mcp?a=1 ", "https://example.com/mcp?a=1"),
        (make_field("url"), "http://127.0.0.1:8765/mcp", "http://127.0.0.1:8765/mcp"),
        (make_field("url"), "http://[::1]/mcp", "http://[::1]/mcp"),
        (make_field("integer"), "42", 42),
        (make_field("integer"), "-7", -7),
        (make_field("integer"), "+7", 7),
        (make_field("integer", minimum=1, maximum=3), "3", 3),
        (make_field("integer"), "9007199254740991", 2**53 - 1),
        (make_field("boolean"), "true", True),
        (make_field("boolean"), "ON", True),
        (make_field("boolean"), "false", False),
        (make_field("boolean", required=True), "0", False),
        (SELECT, "global", "global"),
    ],
)
def test_what_was_typed_becomes_a_value_of_the_fields_type(field, text, value):
    parsed = parse_values([field], {"value": text})

    assert parsed.public == {"value": value}
    assert type(parsed.public["value"]) is type(value)
    assert parsed.secrets == {}


@pytest.mark.parametrize(
    ("field", "text", "code"),
    [
        (make_field("text", required=True), "", "value_required"),
        (make_field("text", required=True), "   ", "value_required"),
        (make_field("secret", required=True), "", "value_required"),
        (make_field("text"), "a\nb", "value_control_characters"),
        (make_field("text"), "a\x7fb", "value_control_characters"),
        (make_field("text"), "a\ud800", "value_control_characters"),
        (make_field("secret"), "a\x00b", "value_control_characters"),
        (make_field("text", max_length=2), "abc", "value_too_long"),
        (make_field("text", min_length=2), "a", "value_too_short"),
        (make_field("secret", min_length=8), "short", "value_too_short"),
        (make_field("text"), "x" * 65_537, "value_too_long"),
        (make_field("url"), "example.com", "value_not_url"),
        (make_field("url"), "ftp://example.com", "value_not_url"),
        (make_field("url"), "https://user@example.com", "value_not_url"),
        (make_field("url"), "https://example.com/#part", "value_not_url"),
        (make_field("url"), "https://exa mple.com", "value_not_url"),
        (make_field("url"), "https://example.com:port", "value_not_url"),
        (make_field("url"), "https://example.com:0", "value_not_url"),
        (make_field("url"), "https://example.com:", "value_not_url"),
        (make_field("url"), "https://[::1", "value_not_url"),
        (make_field("url"), "https://example.com/" + "x" * 2048, "value_not_url"),
        (make_field("url", max_length=20), "https://example.com/mcp", "value_too_long"),
        (make_field("integer"), "1.5", "value_not_integer"),
        (make_field("integer"), "٣", "value_not_integer"),
        (make_field("integer"), "1_000", "value_not_integer"),
        (make_field("integer"), "9007199254740992", "value_not_integer"),
        (make_field("integer"), "9" * 5000, "value_not_integer"),
        (make_field("integer", minimum=5), "4", "value_too_small"),
        (make_field("integer", maximum=5), "6", "value_too_large"),
        (make_field("boolean"), "maybe", "value_not_boolean"),
        (make_field("boolean", required=True), "", "value_required"),
        (SELECT, "us", "value_not_option"),
    ],
)
def test_what_does_not_fit_is_a_fault_at_its_field(field, text, code):
    assert faults_of([field], {"value": text}) == [("value", code)]


def test_every_field_reports_its_own_fault_at_once():
    fields = [make_field("url", "endpoint", required=True), make_field("integer", "limit"), make_field("text", "name")]

    assert faults_of(fields, {"limit": "many", "name": "fine", "nmae": "typo"}) == [
        ("endpoint", "value_required"),
        ("limit", "value_not_integer"),
        ("nmae", "value_unknown_field"),
    ]


def test_a_field_left_out_takes_its_default_and_one_left_blank_has_no_value():
    fields = [make_field("integer", "limit", default=10), make_field("boolean", "dry", default=True)]

    assert parse_values(fields, {}).public == {"limit": 10, "dry": True}
    assert parse_values(fields, {"limit": "", "dry": "false"}).public == {"dry": False}


def test_a_required_field_left_blank_is_a_fault_even_if_it_has_a_default():
    assert faults_of([make_field("text", default="x", required=True)], {"value": ""}) == [("value", "value_required")]


def test_secrets_are_kept_apart_and_do_not_show():
    parsed = parse_values([make_field("secret", required=True)], {"value": " hunter2-canary\n"})

    assert parsed.public == {}
    assert parsed.secrets["value"].reveal() == "hunter2-canary"
    assert "canary" not in repr(parsed)


def test_a_secret_may_hold_the_lines_of_a_key_file():
    assert (
        parse_values([make_field("secret")], {"value": "-----A\nB\r\n-----"}).secrets["value"].reveal()
        == "-----A\nB\r\n-----"
    )


def test_a_kept_secret_may_stay_blank_and_is_not_in_the_result():
    fields = [make_field("secret", required=True)]

    assert parse_values(fields, {"value": ""}, kept={"value"}).secrets == {}
    assert parse_values(fields, {}, kept={"value"}).secrets == {}
    assert parse_values(fields, {"value": "new"}, kept={"value"}).secrets["value"].reveal() == "new"


def test_being_kept_does_not_excuse_a_field_that_is_no_secret():
    assert faults_of([make_field("text", required=True)], {"value": ""}, kept={"value"}) == [
        ("value", "value_required")
    ]


def test_no_fault_repeats_a_secret():
    with pytest.raises(Invalid) as caught:
        parse_values([make_field("secret", max_length=3)], {"value": "canary-value"})

    assert "canary" not in json.dumps([fault.parameters for fault in caught.value.faults])


@given(
    st.sampled_from(["text", "secret", "url", "integer", "boolean"]),
    st.text(max_size=60),
    st.booleans(),
)
def test_any_text_gives_a_value_that_json_keeps_or_a_fault_at_its_field(type_, text, required):
    field = make_field(type_, required=required, max_length=40 if type_ in {"text", "secret", "url"} else None)
    try:
        parsed, places = parse_values([field], {"value": text}), []
    except Invalid as invalid:
        parsed, places = ParsedValues(), [fault.where for fault in invalid.faults]

    assert places in ([], ["value"])
    assert json.loads(json.dumps(parsed.public)) == parsed.public
    assert len(parsed.public) + len(parsed.secrets) <= 1


@given(st.integers(min_value=-(2**53) + 1, max_value=2**53 - 1))
def test_every_safe_integer_survives(number):
    assert parse_values([make_field("integer")], {"value": str(number)}).public == {"value": number}
