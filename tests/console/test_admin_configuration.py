"""Configuration: secrets are written, never shown; two editors do not overwrite each other."""

import re

import pytest

from connectors.catalogue.configuration import open_configuration, save_configuration
from tests.builders.connectors import make_connector, make_manifest
from tests.builders.people import make_administrator

pytestmark = pytest.mark.django_db

SECRET = "s3cret-never-shown"
FIELDS = {
    "fields": [
        {"key": "endpoint", "type": "url", "label_key": "endpoint", "required": True},
        {"key": "token", "type": "secret", "label_key": "token"},
        {"key": "limit", "type": "integer", "label_key": "name", "minimum": 1, "maximum": 10},
        {"key": "quiet", "type": "boolean", "label_key": "name"},
    ]
}
ADDRESS = "http://127.0.0.1:1/mcp"


@pytest.fixture
def notes():
    return make_connector(
        "notes",
        manifest=make_manifest("notes") | {"configuration": FIELDS},
        configuration={"endpoint": ADDRESS, "limit": 3},
        secrets={"token": SECRET},
    )


def save(client, revision: int = 1, **fields):
    return client.post("/connectors/notes/configuration/", {"seen-revision": revision, "endpoint": ADDRESS, **fields})


def text_of(answer) -> str:
    return re.sub(r"\s+", " ", answer.content.decode())


def test_values_are_shown_and_a_secret_only_says_that_it_is_set(admin, notes):
    page = text_of(admin.get("/connectors/notes/configuration/"))
    assert f'value="{ADDRESS}"' in page
    assert 'value="3"' in page
    assert SECRET not in page
    assert "Replace" in page


def test_a_blank_secret_stays(admin, notes):
    save(admin, limit="4", token="")
    notes.refresh_from_db()
    assert notes.configuration["limit"] == 4
    assert open_configuration(notes).secrets["token"].reveal() == SECRET


def test_a_secret_is_replaced_by_what_is_typed(admin, notes):
    save(admin, token="another")
    assert open_configuration(notes).secrets["token"].reveal() == "another"


def test_a_secret_is_cleared_by_its_box(admin, notes):
    save(admin, **{"clear-token": "yes"})
    assert "token" not in open_configuration(notes).secrets


def test_who_set_a_secret_is_told(admin, notes):
    save(admin, token="another")
    assert "· Ada" in text_of(admin.get("/connectors/notes/configuration/"))


def test_bad_values_stay_typed_and_the_secret_does_not(admin, notes):
    answer = save(admin, limit="99", token="typed-secret")
    page = text_of(answer)
    assert answer.status_code == 422
    assert 'value="99"' in page
    assert "typed-secret" not in page
    notes.refresh_from_db()
    assert notes.configuration_revision == 1


def test_the_second_of_two_editors_is_told_who_changed_what(admin, notes):
    bob = make_administrator(display_name="Bob")
    save_configuration(connector=notes, raw={"endpoint": ADDRESS, "limit": "7"}, expected_revision=1, actor=bob)
    answer = save(admin, revision=1, limit="9")
    page = text_of(answer)
    assert answer.status_code == 409
    assert "Bob changed this configuration" in page
    assert "limit" in page
    assert 'value="9"' in page
    notes.refresh_from_db()
    assert notes.configuration["limit"] == 7


def test_a_form_without_its_revision_overwrites_nothing(admin, notes):
    answer = admin.post("/connectors/notes/configuration/", {"endpoint": ADDRESS, "limit": "9"})
    assert answer.status_code == 409


def test_saving_the_same_again_changes_nothing_and_says_so(admin, notes):
    answer = admin.post(
        "/connectors/notes/configuration/", {"seen-revision": 1, "endpoint": ADDRESS, "limit": "3"}, follow=True
    )
    assert "Nothing had changed." in text_of(answer)
    notes.refresh_from_db()
    assert notes.configuration_revision == 1


def test_pages_with_a_configuration_are_kept_by_no_cache(admin, notes):
    assert "no-store" in admin.get("/connectors/notes/configuration/")["Cache-Control"]


def test_moving_the_address_elsewhere_asks_for_the_secret_again(admin, notes):
    answer = admin.post(
        "/connectors/notes/configuration/", {"seen-revision": 1, "endpoint": "https://other.example.com/"}
    )
    assert answer.status_code == 422
    assert open_configuration(notes).secrets["token"].reveal() == SECRET
