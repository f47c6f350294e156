"""A review walks the ledger, can be left and gone on with, and keeps two reviewers from undoing each other."""

import pytest

from connectors.audit.models import AdminEvent
from connectors.catalogue.models import Connector
from connectors.errors import Conflict, Invalid, NotFound
from connectors.ledger.disposition import next_quarter
from connectors.ledger.models import Disposition, Review
from connectors.ledger.queries import find_review, lines_of, open_review
from connectors.ledger.review import answer_line, finish_review, start_review
from connectors.ledger.rows import ledger_row
from tests.builders.connectors import make_connection, make_connector
from tests.builders.logs import make_call
from tests.builders.people import make_administrator, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann():
    return make_administrator("ann")


@pytest.fixture
def review(ann):
    for key in ("one", "two", "three"):
        make_connector(key)
    connectors = list(Connector.objects.select_related("version").order_by("installed_at"))
    return start_review(connectors=connectors, names={connectors[0].pk: "One"}, actor=ann)


def line_at(review, position):
    return lines_of(review).select_related("connector__version").get(position=position)


def answer(line, actor, word="keep", reason="", revision=None):
    row = ledger_row(line.connector) if line.connector else None
    revision = line.revision if revision is None else revision
    return answer_line(line=line, answer=word, reason=reason, expected_revision=revision, row=row, actor=actor)


def test_a_review_begins_with_a_line_a_connector_and_is_recorded(review):
    assert [line.connector_key for line in lines_of(review)] == ["one", "two", "three"]
    assert [line.connector_name for line in lines_of(review)][:2] == ["One", "two"]
    assert AdminEvent.objects.get(act="review_started").after == {"connectors": 3}
    assert open_review() == review


def test_one_review_is_open_at_a_time(review, ann):
    with pytest.raises(Conflict, match="review_open"):
        start_review(connectors=list(Connector.objects.select_related("version")), names={}, actor=ann)


def test_nothing_installed_is_nothing_to_review(ann):
    with pytest.raises(Conflict, match="review_empty"):
        start_review(connectors=[], names={}, actor=ann)


def test_an_answer_is_a_disposition_with_the_figures_it_was_given_on(review, ann):
    line = line_at(review, 1)
    mei = make_user("mei")
    make_call(mei, connection=make_connection(mei, line.connector))
    decided = answer(line, ann)
    held = Disposition.objects.get(connector=line.connector)
    assert (held.verdict, held.suggested, decided.answer, decided.calls) == ("keep", "keep", "keep", 1)
    assert decided.next_review_on == held.next_review_on == next_quarter(held.decided_at.date())
    assert decided.last_used_at is not None


def test_a_skipped_line_decides_nothing(review, ann):
    assert answer(line_at(review, 1), ann, "skipped").answer == "skipped"
    assert not Disposition.objects.exists()


def test_skipping_a_line_that_was_decided_leaves_it_decided(review, ann):
    answer(line_at(review, 1), ann)
    assert answer(line_at(review, 1), ann, "skipped").answer == "keep"


def test_an_answer_can_be_changed_by_who_sees_it(review, ann):
    answer(line_at(review, 1), ann)
    assert answer(line_at(review, 1), ann, "observe").answer == "observe"
    assert Disposition.objects.get(superseded_at=None).verdict == "observe"


def test_the_second_of_two_reviewers_is_told_what_the_first_decided(review, ann):
    seen = line_at(review, 1)
    answer(seen, ann)
    with pytest.raises(Conflict) as refused:
        answer(seen, make_administrator("bob"), "observe", revision=0)
    assert (refused.value.code, refused.value.parameters) == ("review_line_decided", {"name": "ann", "answer": "keep"})
    assert Disposition.objects.count() == 1


def test_uninstall_against_the_suggestion_needs_a_reason_and_removes_nothing(review, ann):
    line = line_at(review, 1)
    with pytest.raises(Invalid):
        answer(line, ann, "uninstall")
    answer(line, ann, "uninstall", "its maintainer left")
    assert Connector.objects.filter(pk=line.connector_id).exists()


def test_a_connector_that_is_gone_can_only_be_skipped(review, ann):
    Connector.objects.get(key="one").delete()
    line = line_at(review, 1)
    assert (line.connector, line.connector_key) == (None, "one")
    with pytest.raises(NotFound):
        answer(line, ann)
    answer(line, ann, "skipped")


def test_a_review_is_finished_once_and_takes_no_answers_then(review, ann):
    answer(line_at(review, 1), ann)
    finished = finish_review(review=review, actor=ann)
    assert (finished.state, finished.finished_by_name) == (Review.State.FINISHED, "ann")
    assert AdminEvent.objects.get(act="review_finished").after == {"answered": 1}
    with pytest.raises(Conflict, match="review_finished"):
        finish_review(review=review, actor=ann)
    with pytest.raises(Conflict, match="review_finished"):
        answer(line_at(review, 2), ann)


def test_after_one_is_finished_another_may_begin(review, ann):
    finish_review(review=review, actor=ann)
    start_review(connectors=list(Connector.objects.select_related("version")), names={}, actor=ann)
    assert (find_review(review.pk).total, find_review(review.pk).answered) == (3, 0)
