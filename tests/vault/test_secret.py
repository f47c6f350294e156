"""A Secret does not show itself (safety §30)."""

import copy
import json
import logging
import pickle

import orjson
import pytest

from connectors.vault.secret import MASK, Secret

CANARY = "s3cret-canary"


@pytest.mark.parametrize("show", [repr, str, "{}".format, "{:>40}".format, "{0!r:9}".format, lambda s: f"{s!s}{s}"])
def test_no_way_of_showing_it_shows_it(show):
    shown = show(Secret(CANARY))
    assert CANARY not in shown
    assert MASK in shown
    assert CANARY not in repr({"key": [Secret(CANARY)]})


def test_only_reveal_gives_the_text():
    assert Secret(CANARY).reveal() == CANARY


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_it_refuses_to_be_pickled(protocol):
    with pytest.raises(TypeError):
        pickle.dumps(Secret(CANARY), protocol)


@pytest.mark.parametrize("dump", [json.dumps, orjson.dumps])
def test_it_refuses_to_become_json(dump):
    with pytest.raises(TypeError):
        dump({"key": Secret(CANARY)})


def test_it_refuses_to_be_hashed_and_to_be_changed():
    with pytest.raises(TypeError):
        hash(Secret(CANARY))
    with pytest.raises(AttributeError):
        Secret(CANARY).text = "x"
    with pytest.raises(AttributeError):
        Secret(CANARY)._text = "x"


def test_equal_texts_are_equal_and_nothing_else_is():
    assert Secret(CANARY) == Secret(CANARY)
    assert Secret(CANARY) != Secret(CANARY + "x")
    assert Secret(CANARY) != CANARY
    assert Secret("\ud800") == Secret("\ud800")


def test_an_empty_one_is_false():
    assert not Secret("")
    assert Secret(" ")


def test_copies_are_the_same_one():
    secret = Secret(CANARY)
    assert copy.copy(secret) is secret
    assert copy.deepcopy({"a": [secret]})["a"][0] is secret


def test_it_stays_masked_in_logs(caplog):
    with caplog.at_level(logging.INFO):
        logging.getLogger("x").info("got %s and %r", Secret(CANARY), {"k": Secret(CANARY)})
    assert CANARY not in caplog.text
