"""Two people edit one configuration: the second sees, field by field, who changed what, and loses nothing they typed."""

import re

import pytest
from django.test import Client

from connectors.catalogue.configuration import open_configuration, save_configuration
from tests.builders.connectors import make_connector, make_manifest
from tests.builders.people import make_administrator

pytestmark = pytest.mark.django_db

ADDRESS = "https://tools.example.com/mcp"
FIELDS = {
    "fields": [
        {"key": "endpoint", "type": "url", "label_key": "endpoint", "required": True},
        {"key": "token", "type": "secret", "label_key": "token"},
        {"key": "limit", "type": "integer", "label_key": "limit"},
        {"key": "quiet", "type": "boolean", "label_key": "quiet"},
    ]
}
TEXTS = {
    "en": {
        "name": "Notes",
        "description": "",
        "endpoint": "Address",
        "token": "Key",
        "limit": "Limit",
        "quiet": "Quiet",
    },
    "zh-CN": {"name": "笔记", "description": "", "endpoint": "地址", "token": "密钥", "limit": "上限", "quiet": "安静"},
}
OPENED = {"seen-revision": "1", "endpoint": ADDRESS, "limit": "3", "quiet": "false", "token": ""}


@pytest.fixture
def notes():
    return make_connector(
        "notes",
        manifest=make_manifest("notes") | {"configuration": FIELDS},
        texts=TEXTS,
        configuration={"endpoint": ADDRESS, "limit": 3, "quiet": False},
        secrets={"token": "old-canary"},
    )


def bob_saves(notes, **raw):
    as_opened = {key: OPENED[key] for key in ("endpoint", "limit", "quiet")}
    bob = make_administrator(display_name="Bob")
    save_configuration(connector=notes, raw=as_opened | raw, expected_revision=1, actor=bob)


def save(admin, **typed):
    return admin.post("/connectors/notes/configuration/", OPENED | typed)


def text_of(answer) -> str:
    return re.sub(r"\s+", " ", answer.content.decode())


def row_of(page: str, label: str) -> str:
    return re.search(rf'<th scope="row">{label}</th>.*?</tr>', page).group(0)


def value_of(page: str, field: str) -> str:
    return re.search(rf'name="{field}"[^>]*value="([^"]*)"|value="([^"]*)"[^>]*name="{field}"', page).group(1)


def test_a_field_both_changed_shows_all_three_values_and_keeps_what_was_typed(admin, notes):
    bob_saves(notes, limit="7")
    answer = save(admin, limit="9")
    page = text_of(answer)
    row = row_of(page, "Limit")
    assert answer.status_code == 409
    assert "Bob changed this configuration" in page
    assert all(f'class="value">{value}<' in row for value in ("3", "7", "9"))
    assert value_of(page, "limit") == "9"


def test_a_field_only_the_other_changed_takes_theirs_so_that_saving_again_undoes_nothing(admin, notes):
    bob_saves(notes, limit="7")
    page = text_of(save(admin, quiet="true"))
    assert value_of(page, "limit") == "7"
    assert 'name="seen-revision" value="2"' in page
    again = save(admin, **{"seen-revision": "2"}, limit=value_of(page, "limit"), quiet="true")
    assert again.status_code == 302
    notes.refresh_from_db()
    assert (notes.configuration["limit"], notes.configuration["quiet"]) == (7, True)


def test_a_secret_is_told_of_and_no_value_of_either_comes_back(admin, notes):
    bob_saves(notes, token="bobs-canary")
    page = text_of(save(admin, token="adas-canary", limit="9"))
    assert "Replaced" in row_of(page, "Key")
    assert "canary" not in page
    assert open_configuration(notes).secrets["token"].reveal() == "bobs-canary"


def test_a_box_to_clear_a_secret_stays_ticked(admin, notes):
    bob_saves(notes, limit="7")
    page = text_of(save(admin, **{"clear-token": "yes"}))
    assert re.search(r'name="clear-token" value="yes" checked', page)


def test_a_choice_is_told_in_words_and_labels_in_the_readers_language(notes):
    client = Client()
    client.force_login(make_administrator(language="zh-hans"))
    bob_saves(notes, quiet="true")
    assert "安静" in text_of(save(client, limit="9"))


def test_a_choice_is_not_told_as_the_form_writes_it(admin, notes):
    bob_saves(notes, quiet="true")
    row = row_of(text_of(save(admin, limit="9")), "Quiet")
    assert ">No<" in row
    assert ">Yes<" in row


def test_a_hostile_revision_is_no_revision(admin, notes):
    for revision in ("", "-1", "9" * 5000, "²"):
        assert save(admin, **{"seen-revision": revision, "limit": "9"}).status_code == 409
