"""The manifest against the texts and files that lie beside it."""

import json

from connectors.manifest.cross_references import check_references
from connectors.manifest.file_checks import find_warnings
from connectors.manifest.parts import Parts
from connectors.manifest.reading import load_manifest, read_document, read_manifest, read_parts
from tests.builders.packages import build_files, build_manifest, build_program_manifest, build_texts

SKILLS = [{"key": "search", "path": "skills/search"}]


def check(document, *, texts=None, files=None):
    reading = read_document(document)
    texts = build_texts(document) if texts is None else texts
    files = build_files(document) if files is None else files
    return [(fault.code, fault.where) for fault in check_references(reading.parts, texts=texts, files=files)]


def test_a_package_that_has_everything_has_no_faults():
    document = build_program_manifest(skills=SKILLS)

    assert check(document) == []
    manifest = load_manifest(document)
    assert check_references(manifest, texts=build_texts(document), files=build_files(document)) == []


def test_a_text_missing_in_one_language_is_named_with_its_place_in_the_manifest():
    document = build_manifest()
    texts = build_texts(document)
    del texts["zh-CN"]["configuration.endpoint.label"]

    assert check(document, texts=texts) == [("text_missing", "/configuration/fields/0/label_key")]


def test_an_empty_or_blank_text_is_no_text():
    document = build_manifest()
    texts = build_texts(document)
    texts["en"]["name"] = ""
    texts["zh-CN"]["description"] = "  "

    assert check(document, texts=texts) == [
        ("text_empty", "/presentation/name_key"),
        ("text_empty", "/presentation/description_key"),
    ]


def test_texts_of_options_sections_actions_and_credential_fields_are_looked_for():
    document = build_manifest()
    document["configuration"]["fields"].append(
        {"key": "region", "type": "select", "label_key": "r", "options": [{"value": "cn", "label_key": "r.cn"}]}
    )
    document["presentation"]["sections"] = [
        {"type": "capability_list", "title_key": "c", "items": [{"title_key": "c.one", "description_key": "c.two"}]}
    ]
    document["presentation"]["connection_actions"] = [{"type": "reauthorize", "label_key": "again"}]
    texts = build_texts(build_manifest())

    missing = {where for code, where in check(document, texts={"en": texts["en"]}) if code == "text_missing"}
    assert missing == {
        "/configuration/fields/1/label_key",
        "/configuration/fields/1/options/0/label_key",
        "/presentation/sections/0/title_key",
        "/presentation/sections/0/items/0/title_key",
        "/presentation/sections/0/items/0/description_key",
        "/presentation/connection_actions/0/label_key",
    }


def test_texts_are_checked_even_where_another_fault_spoils_the_part():
    document = build_manifest()
    document["presentation"]["category"] = "NOT ALLOWED"
    document["presentation"]["name_key"] = "nowhere"

    assert [code for code, _ in check(document, texts=build_texts(build_manifest()))] == ["text_missing"] * 2


def test_a_locale_whose_file_could_not_be_read_is_left_to_whoever_read_it():
    document = build_manifest()

    assert check(document, texts={"en": build_texts(document)["en"]}) == []


def test_the_permission_key_is_no_text():
    document = build_manifest()

    assert "feature.connector.records" not in build_texts(document)["en"]
    assert check(document) == []


def test_every_named_file_must_be_there():
    document = build_program_manifest(skills=SKILLS)

    assert check(document, files=["manifest.json", "skills/search/README.md"]) == [
        ("locale_file_missing", "/locales/0"),
        ("locale_file_missing", "/locales/1"),
        ("icon_missing", "/presentation/icon"),
        ("entrypoint_missing", "/program/entrypoint"),
        ("skill_file_missing", "/skills/0/path"),
    ]


def test_a_manifest_full_of_faults_is_still_checked_as_far_as_it_goes():
    document = {"locales": "en", "presentation": 5, "skills": None, "program": []}

    assert check(document, texts={}, files=[]) == []


def test_what_is_probably_not_meant_is_a_warning():
    document = build_manifest()
    document["tool_policy"]["rules"] = []
    del document["presentation"]["icon"]
    files = ["locales/en.json", "locales/fr.json", "locales/notes.txt", "provider/main.py"]

    warnings = find_warnings(read_document(document).parts, files)
    assert [(fault.code, fault.where) for fault in warnings] == [
        ("policy_empty", "/tool_policy/rules"),
        ("icon_not_given", "/presentation/icon"),
        ("locale_not_listed", "locales/fr.json"),
        ("provider_not_used", "provider/"),
    ]


def test_a_sound_package_gives_no_warning_and_a_broken_one_no_nonsense():
    document = build_program_manifest()

    assert find_warnings(read_document(document).parts, build_files(document)) == []
    assert find_warnings(Parts(document={}, faulty=frozenset({"program"})), ["provider/main.py"]) == []


def test_a_file_that_is_not_json_or_no_object_is_one_fault_of_the_file():
    assert [(f.code, f.where) for f in read_manifest(b"{,}")[1]] == [("json_syntax", "manifest.json")]
    assert [(f.code, f.where) for f in read_manifest(b"[]")[1]] == [("wrong_type", "manifest.json")]
    assert read_parts(b"[]").parts is None


def test_a_manifest_above_one_mebibyte_is_refused():
    data = json.dumps(build_manifest()).encode() + b" " * (1024 * 1024)

    assert [fault.code for fault in read_manifest(data)[1]] == ["json_too_large"]


def test_a_faulty_program_does_not_make_the_launch_action_faulty_too():
    document = build_program_manifest()
    document["program"]["protocol_version"] = 9
    document["presentation"]["connection_actions"] = [
        {"type": "open_service", "label_key": "name", "url_source": "connection_launch_url"}
    ]

    assert [fault.where for fault in read_document(document).faults] == ["/program/protocol_version"]


def test_a_program_is_not_called_unused_while_auth_cannot_be_read():
    document = build_program_manifest()
    document["auth"] = {"strategy": "nonsense"}
    document["runtime"] = {"adapter": "nonsense"}

    assert [fault.where for fault in read_document(document).faults] == ["/auth/strategy", "/runtime/adapter"]


def test_too_many_of_anything_is_refused():
    rules = [{"tool": f"tool_{index}", "effect": "read", "retry": "safe"} for index in range(501)]
    document = build_manifest(tool_policy={"default": "deny", "rules": rules})
    assert [(f.code, f.where) for f in read_document(document).faults] == [("too_many_items", "/tool_policy/rules")]

    document["tool_policy"]["rules"].pop()
    assert read_document(document).faults == ()


def test_a_value_shown_in_a_fault_is_cut_short():
    fault = read_document(build_manifest(connection_policy="x" * 5000)).faults[0]

    assert len(fault.parameters["value"]) == 80


def test_a_text_key_given_as_null_names_no_text():
    document = build_manifest()
    document["configuration"]["fields"][0]["description_key"] = None

    assert check(document, texts=build_texts(build_manifest())) == []
