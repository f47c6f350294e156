"""Unused tools and grants are taken back in one act, by their owner, and never otherwise than was shown."""

from datetime import timedelta

import pytest
from django.utils import timezone

from connectors.audit.models import AdminEvent
from connectors.errors import Conflict
from connectors.ledger.connection_rows import connection_rows
from connectors.ledger.narrowing import ask_to_narrow, asked_narrowing, narrow_grants, propose_narrowing
from connectors.policy.models import Grant
from tests.builders.connectors import make_agent, make_connection, make_connector, make_grant
from tests.builders.logs import make_call
from tests.builders.people import make_administrator, make_user

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


class Granted:
    """A person with an agent that was granted a connection 40 days ago."""

    def __init__(self, stood=40 * DAY, **grant):
        self.owner = make_user()
        self.agent, _token = make_agent(self.owner)
        self.connection = make_connection(self.owner, make_connector())
        self.grant = make_grant(self.agent, self.connection, **grant)
        Grant.objects.filter(pk=self.grant.pk).update(granted_at=timezone.now() - stood)

    def use(self, tool, ago=DAY):
        at = timezone.now() - ago
        make_call(self.owner, agent=self.agent, connection=self.connection, at=at, upstream_tool=tool)

    def proposals(self):
        return propose_narrowing(self.owner)

    def narrow(self):
        return narrow_grants(digests=[each.digest for each in self.proposals()], actor=self.owner)


def test_a_grant_nobody_used_is_to_be_removed():
    granted = Granted()
    [proposal] = granted.proposals()
    assert proposal.removes
    assert proposal.dropped == ("search_notes", "add_note", "delete_note")


def test_a_grant_is_narrowed_to_the_tools_in_use_and_to_reading_where_only_that_is():
    granted = Granted()
    granted.use("search_notes")
    [proposal] = granted.proposals()
    assert (proposal.kept, proposal.dropped) == (("search_notes",), ("add_note", "delete_note"))
    assert proposal.loses_writing
    granted.narrow()
    grant = Grant.objects.get()
    assert (grant.breadth, grant.access, grant.tools) == ("some", "read_only", ["search_notes"])


def test_writing_stays_where_it_is_in_use():
    granted = Granted()
    granted.use("add_note")
    granted.narrow()
    assert Grant.objects.get().access == "read_write"


def test_a_tool_counts_as_unused_after_ninety_days():
    granted = Granted(stood=200 * DAY)
    granted.use("search_notes", ago=89 * DAY)
    granted.use("add_note", ago=91 * DAY)
    [proposal] = granted.proposals()
    assert proposal.kept == ("search_notes",)


@pytest.mark.parametrize(("stood", "proposed"), [(29 * DAY, 0), (31 * DAY, 1)])
def test_a_grant_is_judged_after_it_stood_for_thirty_days(stood, proposed):
    assert len(Granted(stood=stood).proposals()) == proposed


def test_a_grant_that_is_all_in_use_is_left_alone():
    granted = Granted(breadth="some", tools=["search_notes"], access="read_only")
    granted.use("search_notes")
    assert granted.proposals() == ()


def test_a_read_only_grant_of_everything_opens_only_what_reads():
    granted = Granted(access="read_only")
    [proposal] = granted.proposals()
    assert proposal.dropped == ("search_notes",)


def test_use_by_another_agent_is_no_use_of_this_grant():
    granted = Granted()
    other, _token = make_agent(granted.owner)
    at = timezone.now() - DAY
    make_call(granted.owner, agent=other, connection=granted.connection, at=at, upstream_tool="search_notes")
    [proposal] = granted.proposals()
    assert proposal.removes


def test_removing_takes_the_grant_away_and_every_change_is_on_record():
    granted = Granted()
    granted.narrow()
    assert not Grant.objects.exists()
    assert AdminEvent.objects.filter(act="grant_removed").count() == 1


def test_nothing_is_done_once_a_tool_was_used_since_the_page_was_shown():
    granted = Granted()
    shown = [each.digest for each in granted.proposals()]
    granted.use("search_notes")
    with pytest.raises(Conflict, match="narrowing_changed"):
        narrow_grants(digests=shown, actor=granted.owner)
    assert Grant.objects.get().breadth == "all"


def test_nobody_narrows_anothers_grants():
    granted = Granted()
    shown = [each.digest for each in granted.proposals()]
    with pytest.raises(Conflict):
        narrow_grants(digests=shown, actor=make_administrator())
    assert Grant.objects.exists()


def test_owners_who_can_narrow_are_asked_and_others_are_not():
    granted, connector = Granted(), None
    connector = granted.connection.connector
    other = make_user()
    make_connection(other, connector)
    ask_to_narrow(connector=connector, actor=make_administrator("ann"))
    now = timezone.now()
    assert asked_narrowing(granted.owner, now=now) == {connector.pk}
    assert asked_narrowing(other, now=now) == set()
    granted.narrow()
    assert asked_narrowing(granted.owner, now=now) == set()
    assert AdminEvent.objects.filter(act="narrowing_asked").exists()


def test_a_connections_row_tells_its_calls_and_the_tools_nobody_uses():
    granted = Granted()
    granted.use("search_notes")
    granted.use("add_note", ago=20 * DAY)
    granted.use("add_note", ago=60 * DAY)
    granted.use("delete_note", ago=100 * DAY)
    elsewhere = Granted()
    elsewhere.use("delete_note")
    row = connection_rows([granted.connection])[granted.connection.pk]
    assert (row.week.calls, row.month.calls, row.quarter.calls) == (1, 2, 3)
    assert (row.allowed, row.used, row.unused, row.never) == (3, 2, ("delete_note",), ())
