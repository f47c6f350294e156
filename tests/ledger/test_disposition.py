"""What use suggests, at every boundary; what somebody decides, and what must be explained."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.audit.models import AdminEvent
from connectors.errors import Invalid
from connectors.ledger.disposition import (
    NOT_YET_OBSERVED,
    Suggestion,
    decide_disposition,
    next_quarter,
    suggest_disposition,
)
from connectors.ledger.models import Disposition, Verdict
from tests.builders.connectors import make_connector
from tests.builders.people import make_administrator

NOW = datetime(2026, 3, 29, 12, tzinfo=UTC)
MOMENT = timedelta(microseconds=1)
DAY = timedelta(days=1)
SEVERITY = [Verdict.KEEP, Verdict.OBSERVE, Verdict.UNINSTALL]
ages = st.timedeltas(min_value=timedelta(), max_value=timedelta(days=800))


def suggest(used: timedelta | None, observed: timedelta | None) -> Suggestion:
    return suggest_disposition(
        last_used_at=None if used is None else NOW - used,
        observed_since=None if observed is None else NOW - observed,
        now=NOW,
    )


@pytest.mark.parametrize(
    ("used", "verdict", "code"),
    [
        (timedelta(), "keep", "used_this_week"),
        (7 * DAY, "keep", "used_this_week"),
        (7 * DAY + MOMENT, "keep", "used_this_month"),
        (30 * DAY - MOMENT, "keep", "used_this_month"),
        (30 * DAY, "observe", "idle"),
        (90 * DAY, "observe", "idle"),
        (90 * DAY + MOMENT, "uninstall", "long_idle"),
    ],
)
def test_a_connector_seen_for_years_is_judged_by_its_last_use(used, verdict, code):
    suggestion = suggest(used, 700 * DAY)
    assert (suggestion.verdict, suggestion.code, suggestion.days) == (verdict, code, used.days)


@pytest.mark.parametrize(
    ("observed", "verdict"),
    [
        (timedelta(), NOT_YET_OBSERVED),
        (30 * DAY - MOMENT, NOT_YET_OBSERVED),
        (30 * DAY, "observe"),
        (90 * DAY, "observe"),
        (90 * DAY + MOMENT, "uninstall"),
        (None, NOT_YET_OBSERVED),
    ],
)
def test_one_that_was_never_used_is_judged_by_how_long_it_could_have_been(observed, verdict):
    assert suggest(None, observed).verdict == verdict


@pytest.mark.parametrize(
    ("used", "verdict"), [(29 * DAY, "keep"), (31 * DAY, NOT_YET_OBSERVED), (None, NOT_YET_OBSERVED)]
)
def test_one_that_is_withdrawn_is_not_idle_by_choice(used, verdict):
    """Nobody could use it, however long ago it was published."""
    last = None if used is None else NOW - used
    withdrawn = suggest_disposition(last_used_at=last, observed_since=NOW - 700 * DAY, now=NOW, withdrawn=True)
    assert withdrawn.verdict == verdict


@given(ages, ages)
def test_nothing_is_judged_before_it_could_be_seen_for_thirty_days(used, observed):
    if suggest(used, observed).verdict in (Verdict.OBSERVE, Verdict.UNINSTALL):
        assert min(used, observed) >= 30 * DAY


@given(ages, ages, ages)
def test_longer_idleness_never_softens_the_suggestion(first, second, observed):
    shorter, longer = (suggest(used, observed) for used in sorted((first, second)))
    if shorter.is_judged and longer.is_judged:
        assert SEVERITY.index(shorter.verdict) <= SEVERITY.index(longer.verdict)


@given(ages, st.none() | ages)
def test_recent_use_keeps_whatever_else_is_known(used, observed):
    assert (suggest(used, observed).verdict == Verdict.KEEP) == (used < 30 * DAY)


def test_a_clock_that_runs_behind_harms_nothing():
    assert suggest(-DAY, DAY) == Suggestion(Verdict.KEEP, "used_this_week", 0)
    assert suggest(None, -DAY) == Suggestion(NOT_YET_OBSERVED, "observed_too_briefly", 0)


@pytest.mark.parametrize(
    ("day", "then"),
    [
        (date(2026, 1, 31), date(2026, 4, 30)),
        (date(2026, 11, 30), date(2027, 2, 28)),
        (date(2027, 11, 30), date(2028, 2, 29)),
        (date(2026, 12, 15), date(2027, 3, 15)),
        (date(2026, 9, 1), date(2026, 12, 1)),
    ],
)
def test_a_quarter_on_is_the_same_day_or_the_months_last(day, then):
    assert next_quarter(day) == then


@given(st.dates(min_value=date(2000, 1, 1), max_value=date(2100, 1, 1)))
def test_a_quarter_is_three_months_whatever_the_day(day):
    then = next_quarter(day)
    assert (then.year * 12 + then.month) - (day.year * 12 + day.month) == 3
    assert then.day <= day.day


KEEP_IT = Suggestion(Verdict.KEEP, "used_this_week", 1)


@pytest.mark.django_db
class TestDeciding:
    def test_the_last_decision_holds_and_the_others_are_history(self):
        connector, ann = make_connector(), make_administrator("ann")
        decide_disposition(connector=connector, verdict="keep", reason="", suggestion=KEEP_IT, actor=ann)
        second = decide_disposition(
            connector=connector, verdict="observe", reason=" a rival ", suggestion=KEEP_IT, actor=ann
        )
        assert Disposition.objects.get(connector=connector, superseded_at=None) == second
        assert Disposition.objects.filter(connector=connector).count() == 2
        assert (second.reason, second.suggested, second.decided_by_name) == ("a rival", "keep", "ann")
        assert second.next_review_on == next_quarter(second.decided_at.date())

    def test_a_decision_is_an_administrative_event_with_before_and_after(self):
        connector, ann = make_connector(), make_administrator("ann")
        decide_disposition(connector=connector, verdict="keep", reason="", suggestion=KEEP_IT, actor=ann)
        decide_disposition(connector=connector, verdict="uninstall", reason="gone", suggestion=KEEP_IT, actor=ann)
        event = AdminEvent.objects.filter(act="disposition_decided").first()
        assert event.before == {"disposition": "keep", "reason": ""}
        assert event.after == {"disposition": "uninstall", "reason": "gone"}

    @pytest.mark.parametrize(
        ("verdict", "suggestion", "code"),
        [
            ("observe", KEEP_IT, "reason_needed"),
            ("uninstall", Suggestion(NOT_YET_OBSERVED, "observed_too_briefly", 3), "reason_needed"),
            ("forget", KEEP_IT, "not_an_option"),
        ],
    )
    def test_what_goes_against_the_suggestion_is_explained(self, verdict, suggestion, code):
        with pytest.raises(Invalid) as refused:
            decide_disposition(
                connector=make_connector(),
                verdict=verdict,
                reason=" ",
                suggestion=suggestion,
                actor=make_administrator(),
            )
        assert [fault.code for fault in refused.value.faults] == [code]
        assert not Disposition.objects.exists()

    @pytest.mark.parametrize("verdict", ["keep", "observe"])
    def test_what_nobody_observed_yet_may_be_kept_or_observed_without_a_word(self, verdict):
        decide_disposition(
            connector=make_connector(),
            verdict=verdict,
            reason="",
            suggestion=Suggestion(NOT_YET_OBSERVED, "observed_too_briefly", 3),
            actor=make_administrator(),
        )
