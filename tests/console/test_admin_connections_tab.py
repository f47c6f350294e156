"""The Connections tab: who is connected, in what state and why, with which scopes; searched and paged."""

import re

import pytest
from django.db import connection as database
from django.test.utils import CaptureQueriesContext

from connectors.authorization.models import Connection
from connectors.catalogue.visibility import set_visibility
from tests.builders.connectors import make_connection, make_connector
from tests.builders.packages import build_oauth_manifest, build_texts
from tests.builders.people import make_user

pytestmark = pytest.mark.django_db


def rows(admin, query: str = "") -> list[str]:
    page = re.sub(r"\s+", " ", admin.get(f"/connectors/notes/connections/{query}").content.decode())
    return re.findall(r"<tr> <td> <div class=\"row-title\".*?</tr>", page)


def test_it_tells_person_account_state_and_times_and_no_secret(admin):
    connector = make_connector("notes", static=True)
    mei = make_user("mei", display_name="Mei Chen")
    make_connection(mei, connector, alias="work", external_account_name="mei@corp", values={"token": "canary-7"})
    (row,) = rows(admin)
    for told in ("Mei Chen", "mei", "work", "mei@corp", "Working", "never"):
        assert told in row
    assert "canary" not in admin.get("/connectors/notes/connections/").content.decode()


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"state": Connection.State.REAUTHORIZATION_REQUIRED}, "no longer accepts the saved credential"),
        ({"authorization_fingerprint": "0" * 64}, "What the connector asks for has changed since"),
    ],
)
def test_a_state_comes_with_its_plain_reason(admin, fields, told):
    make_connection(make_user("mei"), make_connector("notes"), **fields)
    (row,) = rows(admin)
    assert told in row
    assert rows(admin, "?state=reauthorization_required") == [row]
    assert rows(admin, "?state=active") == []


def test_whom_the_connector_is_no_longer_shared_with_is_told_in_the_third_person(admin):
    connector = make_connector("notes")
    make_connection(make_user("mei"), connector)
    set_visibility(connector=connector, everyone=False, teams=[], people=[make_user()], actor=None)
    (row,) = rows(admin)
    assert "not shared with this person" in row
    assert "with you" not in row


def test_scopes_granted_and_lacking_stand_beside_those_asked_for(admin):
    manifest = build_oauth_manifest(key="notes")
    connector = make_connector("notes", manifest=manifest, texts=build_texts(manifest))
    make_connection(make_user("mei"), connector, granted_scopes=["notes.read"], missing_scopes=["notes.write"])
    (row,) = rows(admin)
    assert "<code>notes.read</code>" in row
    assert re.search(r'class="scope-lacking"[^>]*>notes.write', row)


def test_a_search_finds_by_person_and_by_account(admin):
    connector = make_connector("notes")
    make_connection(make_user("mei", display_name="Mei Chen"), connector, alias="work")
    make_connection(make_user("tom"), connector, alias="home")
    assert len(rows(admin, "?q=chen+work")) == 1
    assert len(rows(admin, "?q=home")) == 1
    assert "No connection matches" in admin.get("/connectors/notes/connections/?q=zebra").content.decode()


def test_pages_go_by_key_newest_first(admin):
    connector = make_connector("notes")
    for number in range(52):
        make_connection(make_user(f"person{number:02}"), connector)
    first = rows(admin)
    assert len(first) == 50
    assert "person51" in first[0]
    page = admin.get("/connectors/notes/connections/").content.decode()
    following = re.search(r'rel="next"\s+href="([^"]+)"', page).group(1)
    assert ["person01" in row or "person00" in row for row in rows(admin, following)] == [True, True]


def test_it_asks_the_database_as_often_for_thirty_as_for_one(admin):
    connector = make_connector("notes")
    make_connection(make_user(), connector)
    admin.get("/connectors/notes/connections/")
    counts = []
    for _ in range(2):
        with CaptureQueriesContext(database) as captured:
            admin.get("/connectors/notes/connections/")
        counts.append(len(captured))
        for _number in range(29):
            make_connection(make_user(), connector)
    assert counts[0] == counts[1]


def test_without_anybody_it_says_how_people_connect(admin):
    make_connector("notes", published=False)
    page = admin.get("/connectors/notes/connections/").content.decode()
    assert "Nobody is connected yet" in page
    assert "/connectors/notes/publish/" in page
