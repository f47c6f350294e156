"""The connectors list: groups, sorting, columns and search in the address; as many queries for many as for ten."""

import os
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from connectors.catalogue.models import Connector
from connectors.console.connector_columns import COLUMNS
from connectors.ledger.disposition import Suggestion, decide_disposition
from connectors.ledger.models import Probe
from tests.builders.connectors import make_connection, make_connector, make_manifest
from tests.builders.logs import make_call
from tests.builders.people import make_administrator, make_user

pytestmark = pytest.mark.django_db
MANY = 1_000 if os.environ.get("POCO_PROOFS") else 60  # pages of a thousand take half a minute


def page_of(admin, query: str = "") -> str:
    return re.sub(r"\s+", " ", admin.get(f"/connectors/{query}").content.decode())


def keys(page: str) -> list[str]:
    return re.findall(r'<tr data-key="([\w-]+)"', page)


def make_named(key: str, name: str, category: str = "productivity", **fields):
    manifest = make_manifest(key)
    manifest["presentation"]["category"] = category
    texts = {language: {"name": name, "description": "", "endpoint": "", "token": ""} for language in ("en", "zh-CN")}
    return make_connector(key, manifest=manifest, texts=texts, **fields)


def test_in_the_catalogues_order_rows_stand_under_their_category_and_can_be_moved(admin):
    make_named("zebra", "Zebra", "animals")
    make_named("notes", "Notes", "writing")
    page = page_of(admin)
    assert page.index("Animals") < page.index('data-key="zebra"') < page.index('data-key="notes"')
    assert "data-handle" in page


def test_sorted_it_is_one_list_that_cannot_be_moved(admin):
    make_named("a", "Zebra")
    make_connection(make_user(), make_named("b", "Apple", published=False))
    assert keys(page_of(admin, "?sort=name")) == ["b", "a"]
    assert keys(page_of(admin, "?sort=-name")) == ["a", "b"]
    assert keys(page_of(admin, "?sort=status")) == ["b", "a"]
    assert keys(page_of(admin, "?sort=-connections")) == ["b", "a"]
    page = page_of(admin, "?sort=-name")
    assert 'aria-sort="descending"' in page
    assert "data-handle" not in page


def test_columns_are_chosen_in_the_address_and_every_head_has_its_cells(admin):
    make_connector("notes")
    page = page_of(admin, "?columns=version&columns=installed&columns=nonsense")
    heads = re.findall(r'<th scope="col".*?</th>', page)
    (row,) = re.findall(r'<tr data-key="notes".*?</tr>', page)
    assert len(heads) == row.count("<td") == 4
    assert "1.0.0" in row


def test_all_columns_at_once_still_match_their_heads(admin):
    make_connector("notes")
    page = page_of(admin, "?" + "&".join(f"columns={column.name}" for column in COLUMNS))
    (row,) = re.findall(r'<tr data-key="notes".*?</tr>', page)
    assert row.count("<td") == len(COLUMNS) + 2
    labels = re.findall(r'<td[^>]*data-label="([^"]+)"', row)
    assert labels == [str(column.title) for column in COLUMNS]


def test_a_column_shows_alone_what_it_shows_among_all(admin):
    """Of the ledger only what the columns need is read."""
    notes = make_connector("notes")
    Connector.objects.update(installed_by=make_user("mei"))
    person = make_user()
    for outcome in ("succeeded", "failed"):
        make_call(person, connection=make_connection(person, notes, alias=outcome), outcome=outcome)
    decided = {"reason": "", "suggestion": Suggestion("keep", "used_this_week", 1), "actor": make_administrator("ann")}
    decide_disposition(connector=notes, verdict="keep", **decided)
    Probe.objects.create(connector=notes, outcome="listed", probed_at=timezone.now(), context_tokens=900)
    among = cells_of(page_of(admin, "?" + "&".join(f"columns={column.name}" for column in COLUMNS)))
    for column in COLUMNS:
        assert cells_of(page_of(admin, f"?columns={column.name}"))[str(column.title)] == among[str(column.title)]


def cells_of(page: str) -> dict[str, str]:
    """What stands in the one row, by column."""
    return dict(re.findall(r'<td[^>]*data-label="([^"]+)"[^>]*>(.*?)</td>', page))


def test_a_slip_of_the_fingers_still_finds_it_the_best_match_first(admin):
    make_named("calendar", "Calendar")
    make_named("notes", "Team calendar notes")
    make_named("mail", "Mail")
    assert keys(page_of(admin, "?q=calender")) == ["calendar", "notes"]


def test_a_search_goes_on_to_the_next_page(admin):
    for number in range(23):
        make_named(f"notes{number:02}", "Notes")
    first = page_of(admin, "?q=notes")
    following = re.search(r'rel="next" href="([^"]+)"', first).group(1).replace("&amp;", "&")
    assert "q=notes" in following
    assert len(keys(page_of(admin, following))) == 3


def test_a_page_behind_a_connector_that_is_gone_begins_anew(admin):
    make_connector("notes")
    assert keys(page_of(admin, "?after=gone")) == ["notes"]


def count_queries(admin, address: str) -> int:
    """What a process keeps, of immutable package versions for instance, is read once and not counted."""
    return min(_queries(admin, address) for _ in range(3))


def _queries(admin, address: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert admin.get(address).status_code == 200
    return len(captured)


def test_as_many_queries_for_many_connectors_as_for_ten(admin):
    person = make_user("mei")
    addresses = [
        *(f"/connectors/{query}" for query in ("", "?sort=-calls", "?q=notebook", "?sort=name&status=published")),
        "/categories/",
        "/catalogue/",
        f"/view-as/{person.pk}/",
        "/bulk/connectors/?act=publish&" + "&".join(f"connector=many{number}" for number in range(40)),
    ]
    admin.get("/connectors/")  # the first list of a console lays the mark that use is counted from
    counts = []
    for first, last in ((0, 10), (10, MANY)):
        for number in range(first, last):
            make_connector(f"many{number}", everyone=number % 2 == 0)
        counts.append({address: count_queries(admin, address) for address in addresses})
    assert counts[0] == counts[1]
    assert max(counts[0].values()) <= 40


def test_a_bulk_act_answers_for_every_key_it_was_sent(client):
    client.force_login(make_administrator())
    keys = [f"none-{number}" for number in range(600)]

    answer = client.post("/bulk/connectors/", {"act": "publish", "connector": keys})

    assert [row.key for row in answer.context["rows"]] == keys
