import re
from pathlib import Path

import pytest

import connectors.manifest
from connectors.errors import Fault
from connectors.manifest.fault_messages import FaultWords, describe_fault, fault_catalogue, register_fault_texts
from connectors.manifest.fault_texts_content import CONTENT_FAULTS
from connectors.manifest.fault_texts_fit import FIT_FAULTS
from connectors.manifest.fault_texts_json import JSON_FAULTS
from connectors.manifest.fault_texts_shape import SHAPE_FAULTS
from connectors.manifest.fault_texts_values import VALUE_FAULTS

OURS = {**CONTENT_FAULTS, **FIT_FAULTS, **JSON_FAULTS, **SHAPE_FAULTS, **VALUE_FAULTS}
SOURCE = "".join(
    path.read_text(encoding="utf-8")
    for path in Path(connectors.manifest.__path__[0]).glob("*.py")
    if not path.name.startswith("fault_")
)


def used(text):
    return set(re.findall(r"{(\w+)}", text))


def test_each_code_with_words_is_one_the_code_gives():
    assert [code for code in OURS if f'"{code}"' not in SOURCE] == []


def test_both_languages_use_the_same_parameters_and_say_something():
    for code, ((message, hint), (meldung, rat)) in OURS.items():
        assert message, code
        assert hint, code
        assert re.search("[\u4e00-\u9fff]", meldung), code
        assert re.search("[\u4e00-\u9fff]", rat), code
        # Chinese may do without what English names, never the other way round.
        assert used(meldung + rat) <= used(message + hint), code


def test_every_code_given_has_words():
    given = set(
        re.findall(r'(?:Fault|JsonFault|fault_at|refuse|_ValueFault|Format|PydanticCustomError)\(\s*"(\w+)"', SOURCE)
    )

    assert given
    assert given <= set(OURS)


def test_lists_read_as_lists_and_braces_in_values_stay():
    fault = Fault("value_not_allowed", "/x", {"value": "{a}", "allowed": ("one", "two")})

    assert describe_fault(fault, "en").message == "“{a}” is not allowed here."
    assert describe_fault(fault, "en").hint == "Use one of: one, two."


def test_a_default_that_is_refused_says_why_in_words():
    fault = Fault("default_refused", "/x", {"reason": "value_too_long", "limit": 3, "length": 9})

    assert "At most 3 characters" in describe_fault(fault, "en").message
    assert "最多 3 个字符" in describe_fault(fault, "zh-CN").message


def test_a_reason_without_words_is_shown_as_it_is():
    assert "weather" in describe_fault(Fault("default_refused", "/x", {"reason": "weather"}), "en").message


def test_an_unknown_code_and_a_missing_parameter_still_say_something():
    assert describe_fault(Fault("never_heard_of"), "en").message == "Something is wrong here (never_heard_of)."
    assert describe_fault(Fault("too_long"), "en").message == "The text is longer than ? characters."


def test_a_code_cannot_be_given_other_words_later():
    with pytest.raises(ValueError, match="too_long"):
        register_fault_texts({"too_long": FaultWords(en=("", ""), zh=("", ""))})

    assert fault_catalogue()["too_long"] == SHAPE_FAULTS["too_long"]
