import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.manifest.json_fault_location import locate_fault
from connectors.manifest.strict_json import JsonFault, parse_strict

MEBIBYTE = 1024 * 1024


def parse(data, **limits):
    return parse_strict(data if isinstance(data, bytes) else data.encode(), max_bytes=MEBIBYTE, **limits)


def attempt(data):
    """The value, or the line and column of the fault."""
    try:
        return parse(data), None
    except JsonFault as fault:
        return None, (fault.parameters["line"], fault.parameters["column"])


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(min_value=-(2**63) + 1, max_value=2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(
            st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")), inner, max_size=5
        )
    ),
    max_leaves=30,
)


@given(json_values, st.booleans(), st.sampled_from([None, 2]))
def test_what_json_writes_is_read_back_unchanged(value, ascii_only, indent):
    assert parse(json.dumps(value, ensure_ascii=ascii_only, indent=indent)) == value


@given(st.binary(max_size=200))
def test_any_bytes_give_a_value_or_a_fault_of_ours(data):
    value, place = attempt(data)

    assert place is None or min(place) >= 1
    assert place or value == json.loads(data)


fragments = st.sampled_from(
    ["{", "}", "[", "]", ",", ":", '"a"', '"b"', "1", "-0", "1.5e3", "true", "null", "NaN", "\\u0000", '"\\ud800"', '"\\ud83d\\ude00"', " ", "\n", '"\\u0061"', "1e999", "99999999999999999999"]
)  # fmt: skip


@given(st.lists(fragments, max_size=14).map("".join))
def test_almost_json_is_refused_with_a_place_or_read_as_python_reads_it(text):
    value, place = attempt(text)

    lines = text.split("\n")
    assert place is None or (1 <= place[0] <= len(lines) and 1 <= place[1] <= len(lines[place[0] - 1]) + 1)
    assert place or value == json.loads(text)


@pytest.mark.parametrize(
    ("data", "code", "line", "column"),
    [
        (b"", "json_syntax", 1, 1),
        (b"[1,]", "json_syntax", 1, 4),
        (b"[1 2]", "json_syntax", 1, 4),
        (b'{"a":1,}', "json_syntax", 1, 8),
        (b'{"a" 1}', "json_syntax", 1, 6),
        (b'{"a":1', "json_syntax", 1, 7),
        (b"{a:1}", "json_syntax", 1, 2),
        (b"'a'", "json_syntax", 1, 1),
        (b"[1] x", "json_syntax", 1, 5),
        (b"// note\n{}", "json_syntax", 1, 1),
        (b'{\n  "a": tru\n}', "json_syntax", 2, 8),
        (b'["a\nb"]', "json_syntax", 1, 2),
        (b'["\\x41"]', "json_syntax", 1, 2),
        (b"[01]", "json_syntax", 1, 3),
        (b"[+1]", "json_syntax", 1, 2),
        (b"[.5]", "json_syntax", 1, 2),
        (b'{"a":1,\n "a":2}', "json_duplicate_key", 2, 2),
        (b'{"a":1, "\\u0061":2}', "json_duplicate_key", 1, 9),
        (b'{"\\ud83d\\ude00":1, "\xf0\x9f\x98\x80":2}', "json_duplicate_key", 1, 20),
        (b'{"x":{"a":1,"a":2}}', "json_duplicate_key", 1, 13),
        (b'{"\\n":1,"\\n":2}', "json_duplicate_key", 1, 9),
        (b'{"a":{},"b":[],"c":[[1],-1.5,true],"a":1}', "json_duplicate_key", 1, 36),
        (b"[[1], [2", "json_syntax", 1, 9),
        (b"[NaN]", "json_not_a_number", 1, 2),
        (b"[-Infinity]", "json_not_a_number", 1, 2),
        (b"Infinity", "json_not_a_number", 1, 1),
        (b"[1e400]", "json_number_too_large", 1, 2),
        (b"[9223372036854775808]", "json_number_too_large", 1, 2),
        (b"[-99999999999999999999999999]", "json_number_too_large", 1, 2),
        (b'["\\ud800"]', "json_lone_surrogate", 1, 3),
        (b'["\\udc00"]', "json_lone_surrogate", 1, 3),
        (b'["\\ud800\\ud800"]', "json_lone_surrogate", 1, 3),
        (b'["\\ud800x\\udc00"]', "json_lone_surrogate", 1, 3),
        (b'{"\\ud800": 1}', "json_lone_surrogate", 1, 3),
        (b'["a\\u0000"]', "json_nul", 1, 4),
        (b"\xef\xbb\xbf{}", "json_byte_order_mark", 1, 1),
        (b"\xff\xfe{\x00}\x00", "json_byte_order_mark", 1, 1),
        (b'{\n"a": "\xff"}', "json_not_utf8", 2, 7),
        ('{"名": "\ud800"}'.encode("utf-8", "surrogatepass"), "json_not_utf8", 1, 8),
    ],
)
def test_each_fault_is_named_with_line_and_column(data, code, line, column):
    with pytest.raises(JsonFault) as caught:
        parse(data)

    assert (caught.value.code, caught.value.parameters["line"], caught.value.parameters["column"]) == (
        code,
        line,
        column,
    )


def test_nesting_is_allowed_up_to_the_limit_and_no_deeper():
    assert parse("[" * 64 + "]" * 64) is not None
    for text in (
        "[" * 65 + "]" * 65,
        '{"a":' * 64 + "{}" + "}" * 64,
        "[" * 200_000,
        '["' + "[" * 70 + '",' + "[" * 64 + "]" * 65,
    ):
        with pytest.raises(JsonFault) as caught:
            parse(text)
        assert caught.value.code == "json_too_deep"


def test_brackets_inside_texts_are_no_nesting():
    assert parse(json.dumps(["[" * 100, "\u00e9"])) == ["[" * 100, "\u00e9"]


def test_an_escaped_pair_is_one_character_and_escapes_are_resolved():
    assert parse('["\\ud83d\\ude00", "\\"\\\\\\/\\b\\f\\n\\r\\t"]') == ["😀", '"\\/\b\f\n\r\t']


def test_integers_of_64_bits_and_negative_ones_keep_their_value():
    assert parse("[9223372036854775807, -9223372036854775807, -5, 0]") == [2**63 - 1, -(2**63) + 1, -5, 0]


def test_numbers_with_fraction_are_read():
    assert math.isclose(parse("[-1.25e2]")[0], -125.0)


def test_a_file_above_the_limit_is_refused_before_it_is_read():
    with pytest.raises(JsonFault) as caught:
        parse_strict(b"[1]", max_bytes=2)

    assert caught.value.code == "json_too_large"
    assert caught.value.fault("locales/en.json").where == "locales/en.json"


def test_a_document_the_second_reading_has_nothing_against_is_still_refused():
    fault = locate_fault('{"a": [1, 2.5]}', max_depth=64, max_integer=2**63)

    assert (fault.code, fault.parameters) == ("json_syntax", {"line": 1, "column": 1})


def test_a_mebibyte_of_escapes_is_read_in_reasonable_time():
    text = json.dumps({f"key.{index}": "连接器" * 10 for index in range(5000)})

    assert parse(text) == json.loads(text)
