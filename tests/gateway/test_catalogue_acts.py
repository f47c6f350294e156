"""What an administrator does in the catalogue counts at an agent's very next call."""

import pytest
from django.test import Client

from connectors.catalogue.bulk import Outcome, disable_connectors, publish_connectors
from connectors.catalogue.category_editing import rename_category
from connectors.catalogue.ordering import Spot, move_connector
from tests.builders.connectors import make_connector
from tests.builders.people import make_administrator, make_team, make_user

pytestmark = pytest.mark.django_db(transaction=True)
SEARCH = "notes__search_notes"


def show_to(*, teams=(), people=(), audience="chosen") -> None:
    admin = Client()
    admin.force_login(make_administrator())
    chosen = {"teams": [str(team.pk) for team in teams], "people": [str(person.pk) for person in people]}
    answer = admin.post("/connectors/notes/visibility/", {"audience": audience, **chosen})
    assert answer.status_code == 302, answer.content


def may_call(world) -> bool:
    before = len(world.upstream.calls)
    world.gateway.call(SEARCH)
    return len(world.upstream.calls) > before


def test_whom_a_narrower_visibility_leaves_out_is_refused_at_the_next_call(world):
    assert may_call(world)
    show_to(people=[make_user()])
    assert not may_call(world)
    assert SEARCH not in world.gateway.tool_names()
    show_to(people=[world.owner])
    assert may_call(world)
    show_to(teams=[make_team("Others")])
    assert not may_call(world)
    show_to(teams=[make_team("Theirs", world.owner)])
    assert may_call(world)


def test_a_bulk_withdrawal_stops_calls_and_publishing_brings_them_back(world):
    assert may_call(world)
    (row,) = disable_connectors(keys=["notes"], actor=None)
    assert row.outcome == Outcome.DONE
    assert not may_call(world)
    publish_connectors(keys=["notes"], actor=None)
    assert may_call(world)


def test_what_only_changes_how_the_catalogue_looks_disturbs_no_call(world):
    make_connector("mail")
    world.connector.refresh_from_db()
    move_connector(connector=world.connector, to=Spot.FIRST, actor=None)
    rename_category(category=world.connector.category, names={"en": "Work"}, icon="", actor=None)
    assert may_call(world)
