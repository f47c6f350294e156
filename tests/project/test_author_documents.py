"""What `docs/` says about faults and the manifest is what the code says."""

import json

import pytest
from django.conf import settings
from django.core.management import call_command

from connectors.management.authoring.documents import GUIDE, SCHEMA, render_documents, stale_documents
from connectors.manifest.json_schema import render_json_schema


def test_the_committed_schema_and_fault_tables_are_current():
    assert stale_documents(settings.BASE_DIR) == [], "run manage.py write_author_docs"


def test_the_committed_schema_is_the_one_the_models_give():
    assert (settings.BASE_DIR / SCHEMA).read_text(encoding="utf-8") == render_json_schema()


def test_what_is_out_of_date_is_found_and_written(tmp_path, settings, capsys):
    guide = tmp_path / GUIDE
    guide.parent.mkdir()
    guide.write_text("before\n<!-- fault codes: start -->\nold\n<!-- fault codes: end -->\nafter\n")
    settings.BASE_DIR = tmp_path

    with pytest.raises(SystemExit) as ended:
        call_command("write_author_docs", "--check")
    assert ended.value.code == 1
    call_command("write_author_docs")
    assert stale_documents(tmp_path) == []
    with pytest.raises(SystemExit) as ended:
        call_command("write_author_docs", "--check")
    assert ended.value.code == 0

    text = guide.read_text(encoding="utf-8")
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "`secret_default`" in text
    assert json.loads((tmp_path / SCHEMA).read_text(encoding="utf-8"))["additionalProperties"] is False
    assert "written" in capsys.readouterr().out


def test_the_tables_show_parameters_as_words_and_braces_as_they_are():
    tables = render_documents(settings.BASE_DIR)[settings.BASE_DIR / GUIDE]

    assert "The text is longer than *limit* characters." in tables
    assert '{"key": "text"}' in tables
