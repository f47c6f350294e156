"""What people write about a connector: two at once lose nothing, every change is on record."""

from dataclasses import replace

import pytest

from connectors.audit.models import AdminEvent
from connectors.errors import Conflict, Invalid
from connectors.ledger.checklist import ITEMS, summarize_checklist
from connectors.ledger.entry import Writing, answer_checklist, write_entry
from tests.builders.connectors import make_connector
from tests.builders.people import make_administrator, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann():
    return make_administrator("ann")


@pytest.fixture
def connector():
    return make_connector()


PLAIN = Writing(purpose="Read issues", owner=None, source="https://example.com/repo")


def write(connector, actor, revision=0, **changes):
    return write_entry(connector=connector, writing=replace(PLAIN, **changes), expected_revision=revision, actor=actor)


def test_an_entry_is_written_and_its_change_recorded(connector, ann):
    mei = make_user("mei")
    entry = write(connector, ann, owner=mei)
    assert (entry.purpose, entry.owner, entry.revision, entry.changed_by) == ("Read issues", mei, 1, ann)
    event = AdminEvent.objects.get(act="ledger_entry_written")
    assert event.before == {"purpose": "", "owner": "", "source": ""}
    assert event.after == {"purpose": "Read issues", "owner": "mei", "source": "https://example.com/repo"}


def test_writing_the_same_again_is_no_event(connector, ann):
    write(connector, ann)
    assert write(connector, ann, revision=1).revision == 1
    assert AdminEvent.objects.filter(act="ledger_entry_written").count() == 1


def test_the_second_of_two_writers_is_told_and_overwrites_nothing(connector, ann):
    write(connector, ann)
    with pytest.raises(Conflict) as refused:
        write(connector, make_administrator("bob"), purpose="Something else")
    assert (refused.value.code, refused.value.parameters["name"]) == ("ledger_entry_changed", "ann")
    connector.ledger_entry.refresh_from_db()
    assert connector.ledger_entry.purpose == "Read issues"


@pytest.mark.parametrize(
    ("texts", "where", "code"),
    [
        ({"purpose": "x" * 501}, "purpose", "value_too_long"),
        ({"source": "x" * 501}, "source", "value_too_long"),
    ],
)
def test_what_cannot_be_kept_is_refused_with_its_place(connector, ann, texts, where, code):
    with pytest.raises(Invalid) as refused:
        write(connector, ann, **texts)
    assert [(fault.where, fault.code) for fault in refused.value.faults] == [(where, code)]


def test_somebody_who_may_not_sign_in_owns_nothing(connector, ann):
    with pytest.raises(Invalid) as refused:
        write(connector, ann, owner=make_user(is_active=False))
    assert refused.value.faults[0].code == "owner_inactive"


def test_the_checklist_is_kept_and_counted(connector, ann):
    answers = dict.fromkeys(ITEMS, "") | {"tests": "yes", "documentation": "yes", "changelog": "no"}
    entry = answer_checklist(connector=connector, answers=answers, note=" fine ", expected_revision=0, actor=ann)
    assert entry.checklist == {"tests": "yes", "documentation": "yes", "changelog": "no"}
    assert entry.checklist_note == "fine"
    summary = summarize_checklist(entry.checklist)
    assert (summary.yes, summary.no, summary.open) == (2, 1, len(ITEMS) - 3)


@pytest.mark.parametrize("answers", [{"stars": "yes"}, {"tests": "perhaps"}])
def test_the_checklist_takes_its_own_items_and_answers_only(connector, ann, answers):
    with pytest.raises(Invalid):
        answer_checklist(connector=connector, answers=answers, note="", expected_revision=0, actor=ann)
