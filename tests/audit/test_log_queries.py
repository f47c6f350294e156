"""Reads of the logs: keyset pages, time through the primary key, own rows only."""

from datetime import timedelta

import pytest
from django.utils import timezone

from connectors.audit.queries import CallFilters, call_of_decision, calls, get_call, get_decision
from connectors.errors import NotFound
from tests.builders.logs import make_call, make_decision, uuid_at
from tests.builders.people import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann():
    return make_user("ann")


def found(page):
    return [row.tool for row in page.rows]


def test_the_first_page_has_no_newer_and_the_last_no_older(ann):
    start = timezone.now() - timedelta(minutes=5)
    for number in range(5):
        make_call(ann, tool=str(number), at=start + timedelta(seconds=number))

    first = calls(CallFilters(), size=2)
    second = calls(CallFilters(), size=2, after=first.older)
    third = calls(CallFilters(), size=2, after=second.older)

    assert [found(page) for page in (first, second, third)] == [["4", "3"], ["2", "1"], ["0"]]
    assert (first.newer, third.older) == (None, None)


def test_going_back_ends_at_the_first_page(ann):
    start = timezone.now() - timedelta(minutes=5)
    for number in range(4):
        make_call(ann, tool=str(number), at=start + timedelta(seconds=number))
    second = calls(CallFilters(), size=2, after=calls(CallFilters(), size=2).older)

    first = calls(CallFilters(), size=2, before=second.newer)

    assert found(first) == ["3", "2"]
    assert first.newer is None


def test_a_page_stays_when_newer_rows_arrive(ann):
    start = timezone.now() - timedelta(minutes=5)
    for number in range(4):
        make_call(ann, tool=str(number), at=start + timedelta(seconds=number))
    key = calls(CallFilters(), size=2).older
    make_call(ann, tool="new")

    assert found(calls(CallFilters(), size=2, after=key)) == ["1", "0"]


def test_a_row_written_minutes_after_it_began_is_in_its_time(ann):
    began = timezone.now() - timedelta(hours=1)
    call = make_call(ann, at=began, tool="waited")
    type(call).objects.filter(pk=call.pk).update(id=uuid_at(began + timedelta(minutes=12)))

    page = calls(CallFilters(since=began - timedelta(seconds=1), until=began + timedelta(seconds=1)))

    assert found(page) == ["waited"]


def test_the_end_of_a_time_range_is_open(ann):
    at = timezone.now() - timedelta(hours=1)
    make_call(ann, at=at)

    assert not calls(CallFilters(until=at)).rows
    assert calls(CallFilters(since=at)).rows


def test_another_persons_row_is_not_found(ann):
    other = make_user()
    decision = make_decision(other)
    call = make_call(other, decision=decision)

    for get, row in ((get_call, call), (get_decision, decision)):
        with pytest.raises(NotFound):
            get(row.pk, owner_id=ann.pk)
        assert get(row.pk, owner_id=None) == row


def test_a_decision_finds_the_call_it_led_to_and_no_other(ann):
    decision, other = make_decision(ann), make_decision(ann)
    call = make_call(ann, decision=decision)

    assert call_of_decision(decision) == call
    assert call_of_decision(other) is None
