"""The example packages are what authors start from and what an empty console offers."""

import json
from pathlib import Path

import jsonschema
import pytest

import connectors.examples
from connectors.manifest.json_schema import render_json_schema
from connectors.packages.inspection import inspect_folder

FOLDERS = sorted(path for path in (Path(connectors.examples.__file__).parent / "packages").iterdir() if path.is_dir())


def manifest_of(folder):
    return json.loads((folder / "manifest.json").read_text(encoding="utf-8"))


MANIFESTS = {folder.name: manifest_of(folder) for folder in FOLDERS}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_an_example_is_a_valid_package_without_a_warning(folder):
    package = inspect_folder(folder)

    assert package.manifest.key == folder.name
    assert package.warnings == ()
    assert package.icon is not None
    assert package.icon.media_type == "image/svg+xml"


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_an_example_reads_in_english_and_in_chinese_with_the_same_keys(folder):
    texts = inspect_folder(folder).texts

    assert set(texts) == {"en", "zh-CN"}
    assert texts["en"].keys() == texts["zh-CN"].keys()


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_an_example_satisfies_the_published_schema(folder):
    jsonschema.Draft202012Validator(json.loads(render_json_schema())).validate(manifest_of(folder))


def test_the_examples_show_every_way_a_connector_can_be_made():
    shown = {
        (m["auth"]["strategy"], m["auth"]["interaction"], m["runtime"]["adapter"], m["runtime"]["transport"])
        for m in MANIFESTS.values()
    }

    assert shown >= {
        ("none", "none", "remote_mcp", "streamable_http"),
        ("none", "none", "remote_mcp", "sse"),
        ("static_credentials", "form", "remote_mcp", "streamable_http"),
        ("oauth_authorization_code", "redirect", "remote_mcp", "streamable_http"),
        ("program", "form", "program", "program"),
        ("program", "redirect", "program", "program"),
        ("program", "redirect", "remote_mcp", "streamable_http"),
    }


def test_the_examples_show_servers_discoveries_capabilities_and_every_type_of_field():
    everything = json.dumps(list(MANIFESTS.values()))
    types = {one["type"] for m in MANIFESTS.values() for one in m["configuration"]["fields"] + m["auth"]["fields"]}

    assert types == {"text", "secret", "url", "integer", "boolean", "select"}
    assert any(len(m["runtime"]["options"].get("servers", [])) == 2 for m in MANIFESTS.values())
    assert {m["auth"]["options"].get("discovery", {}).get("type") for m in MANIFESTS.values()} >= {"static", "mcp"}
    assert any(len(m.get("program", {}).get("capabilities", [])) == 3 for m in MANIFESTS.values())
    assert any(m["connection_policy"] == "multiple_per_user" for m in MANIFESTS.values())
    assert any(m["default_locale"] == "zh-CN" for m in MANIFESTS.values())
    for effect in ("read", "write", "destructive", "unknown"):
        assert f'"effect": "{effect}"' in everything


@pytest.mark.parametrize("key", ["workbench", "workbench-keyed"])
def test_the_offered_example_names_the_example_servers_tools(key):
    rules = {rule["tool"]: rule for rule in MANIFESTS[key]["tool_policy"]["rules"]}

    assert set(rules) == {"search_notes", "read_note", "create_note", "delete_note", "slow_report", "查询天气"}
    assert rules["delete_note"]["confirmation"] == "user_required"
