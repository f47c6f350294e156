"""Manifests made to mislead who reads about them, or to keep the reader busy."""

import json
import unicodedata

import pytest

from connectors.errors import Fault, Invalid
from connectors.manifest.difference import hosts
from connectors.manifest.fault_messages import describe_fault
from connectors.manifest.hidden_characters import show_hidden
from connectors.manifest.hosts import host_of
from connectors.manifest.reading import load_manifest, read_manifest
from connectors.packages.inspection import inspect_package
from tests.builders.packages import ENDPOINT_FIELD, build_manifest, build_package, build_texts, remote_runtime

TRICKS = ["\x1b[2J", "a\nb", "\x9b31m", "\u202eevil", "\u2066x\u2069", "a\u200bb", "\u2028", "\ufeff"]


def told(data: bytes) -> list[str]:
    """Everything that is said of the faults, in both languages."""
    _, faults = read_manifest(data)
    assert faults
    texts = [describe_fault(fault, language) for fault in faults for language in ("en", "zh-CN")]
    return [said for text in texts for said in (text.where, text.message, text.hint)]


def changed(**parts) -> bytes:
    return json.dumps({**build_manifest(), **parts}).encode()


@pytest.mark.parametrize("trick", TRICKS)
@pytest.mark.parametrize(
    "broken",
    [
        lambda trick: changed(key=trick),
        lambda trick: changed(connection_policy=trick),
        lambda trick: changed(**{trick: 1}),
        lambda trick: changed(locales=["en", trick]),
        lambda trick: changed(configuration={"fields": [{**ENDPOINT_FIELD, "default": trick}]}),
        lambda trick: b"{%s: 1, %s: 2}" % ((json.dumps(trick).encode(),) * 2),
    ],
    ids=["key", "value", "unknown key", "list", "default", "repeated key"],
)
def test_what_is_said_of_a_fault_can_neither_hide_nor_forge_anything(broken, trick):
    for said in told(broken(trick)):
        assert not {letter for letter in said if unicodedata.category(letter) in {"Cc", "Cf", "Zl", "Zp"}}


@pytest.mark.parametrize(
    "broken", [changed(key="x" * 900_000), changed(connection_policy="x" * 900_000), changed(**{"x" * 900_000: 1})]
)
def test_what_is_said_of_a_fault_stays_readable(broken):
    assert max(map(len, told(broken))) < 500


def test_a_message_of_a_program_is_said_whole():
    said = describe_fault(Fault("configuration_refused", "", {"message": "m" * 1900}), "en").message
    assert "m" * 1900 in said


def test_of_very_many_faults_a_thousand_are_told_and_the_rest_counted():
    _, faults = read_manifest(changed(tool_policy={"default": "deny", "rules": [0] * 20_000}))
    more = [fault for fault in faults if fault.code == "more_faults"]
    assert len(faults) - 1 + more[0].parameters["count"] == 20_000


def test_a_report_of_very_many_faults_counts_them_all(tmp_path):
    manifest = build_manifest(tool_policy={"default": "deny", "rules": [0] * 20_000})
    with pytest.raises(Invalid) as refused:
        inspect_package(build_package(tmp_path / "a.zip", manifest=manifest))
    *told_of, more = refused.value.faults
    assert (len(told_of), more.code, more.parameters["count"]) == (200, "more_faults", 19_800)


@pytest.mark.parametrize("trick", TRICKS)
def test_names_that_people_decide_by_hold_nothing_hidden(trick):
    rule = {"tool": f"read{trick}x", "effect": "read", "retry": "safe"}
    option = {
        "key": "a",
        "type": "select",
        "label_key": "name",
        "options": [{"value": f"x{trick}x", "label_key": "name"}],
    }
    url = {"url": f"https://mcp.example.com/{trick}"}
    for parts, where in (
        ({"tool_policy": {"default": "deny", "rules": [rule]}}, "/tool_policy/rules/0/tool"),
        ({"configuration": {"fields": [ENDPOINT_FIELD, option]}}, "/configuration/fields/1/options/0/value"),
        ({"authorization_contract_version": f"1{trick}x"}, "/authorization_contract_version"),
        ({"runtime": remote_runtime(endpoint=url)}, "/runtime/options/endpoint/url"),
    ):
        _, faults = read_manifest(changed(**parts))
        assert [fault.where for fault in faults] == [where]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("x" * 201, "text_too_long"),
        ("Records\u202e", "text_hides"),
        ("Rec\x1b[31mords", "text_hides"),
        ("Rec\x85ords", "text_hides"),
        (" \n", "text_empty"),
    ],
)
def test_a_name_is_short_and_hides_nothing(tmp_path, text, code):
    texts = {**build_texts(build_manifest())["en"], "name": text}
    with pytest.raises(Invalid) as refused:
        inspect_package(build_package(tmp_path / "a.zip", files={"locales/en.json": json.dumps(texts)}))
    assert [(fault.code, fault.where) for fault in refused.value.faults] == [(code, "/presentation/name_key")]


@pytest.mark.parametrize("text", ["x" * 10_000, "两行\n文字\t和制表符", "عربي \u200f", "👩\u200d💻", "می\u200cخواهم"])
def test_a_description_may_be_long_and_in_any_script(tmp_path, text):
    texts = {**build_texts(build_manifest())["en"], "description": text}
    package = build_package(tmp_path / "a.zip", files={"locales/en.json": json.dumps(texts)})
    assert inspect_package(package).texts["en"]["description"] == text


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://MCP.Example.com/mcp", "mcp.example.com"),
        ("https://аpple.com:8443/", "xn--pple-43d.com:8443"),
        ("https://例子.测试/", "xn--fsqu00a.xn--0zwm56d"),
        ("http://[::1]:80/", "[::1]:80"),
        ("https://" + "ä" * 80 + ".com/", "\\xe4" * 80 + ".com"),
    ],
)
def test_a_host_is_read_as_what_it_is(url, host):
    assert host_of(url) == host


def test_a_host_that_looks_like_another_is_told_as_its_own():
    document = build_manifest(runtime=remote_runtime(endpoint={"url": "https://аpple.com/mcp"}))
    assert hosts(load_manifest(document)) == {"xn--pple-43d.com"}


def test_hidden_characters_are_written_out():
    assert show_hidden("a\u202eb\nc") == "a\\u202eb\\u000ac"
    assert show_hidden("a\nb\u200b", but="\n") == "a\nb\\u200b"
    assert show_hidden("中文 é") == "中文 é"
