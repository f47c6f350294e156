import json

import jsonschema
import pytest

from connectors.manifest.cross_references import check_references
from connectors.manifest.fault_messages import describe_fault, fault_catalogue
from connectors.manifest.json_schema import render_json_schema
from connectors.manifest.reading import load_manifest, read_manifest
from tests.builders.packages import build_files
from tests.manifest.manifest_corpus import Case, load_cases

REJECTED = load_cases("reject")
ACCEPTED = load_cases("accept")
SCHEMA = jsonschema.Draft202012Validator(json.loads(render_json_schema()))


def named(case: Case) -> str:
    return case.name


@pytest.mark.parametrize("case", REJECTED, ids=named)
def test_a_broken_manifest_gives_exactly_the_faults_it_has(case):
    manifest, faults = read_manifest(json.dumps(case.document).encode())

    assert manifest is None
    assert sorted((fault.code, fault.where) for fault in faults) == sorted(case.faults)


def test_their_faults_say_in_both_languages_what_is_wrong_and_how_to_mend_it():
    for case in REJECTED:
        _, faults = read_manifest(json.dumps(case.document).encode())
        for fault in faults:
            assert fault.code in fault_catalogue(), case.name
            for language in ("en", "zh-hans"):
                text = describe_fault(fault, language)
                assert text.message, case.name
                assert text.hint, case.name
                assert "?" not in text.message + text.hint, f"{case.name}: a parameter the template names is missing"
                assert "pydantic" not in text.message + text.hint, case.name


@pytest.mark.parametrize("case", ACCEPTED, ids=named)
def test_a_sound_manifest_is_read_whole(case):
    manifest, faults = read_manifest(json.dumps(case.document).encode())

    assert faults == []
    assert manifest == load_manifest(case.document)


def test_sound_manifests_written_out_read_back_the_same():
    for case in ACCEPTED:
        manifest = load_manifest(case.document)

        assert load_manifest(manifest.model_dump(mode="json")) == manifest, case.name
        assert check_references(manifest, texts={}, files=build_files(case.document)) == [], case.name


def test_sound_manifests_satisfy_the_json_schema():
    assert [case.name for case in ACCEPTED if not SCHEMA.is_valid(case.document)] == []


def test_the_corpus_is_as_large_as_promised_and_no_case_is_there_twice():
    names = [case.name for case in REJECTED + ACCEPTED]

    assert len(REJECTED) >= 250  # as the author's guide says
    assert len(set(names)) == len(names)


def test_the_schema_itself_is_sound():
    jsonschema.Draft202012Validator.check_schema(json.loads(render_json_schema()))


def test_the_schema_refuses_what_is_wrong_in_shape():
    # `$` of Python's regular expressions, unlike a JSON Schema's, lets a line feed follow.
    beyond = ("identity: schema version", "identity: key with line feed")
    in_shape = {
        "key_missing",
        "key_unknown",
        "value_not_allowed",
        "key_malformed",
        "version_malformed",
        "too_few_items",
    }
    for case in REJECTED:
        if {code for code, _ in case.faults} & in_shape and not case.name.startswith(beyond):
            assert list(SCHEMA.iter_errors(case.document)), case.name
