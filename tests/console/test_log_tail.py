"""What has come in since: by key, under the same filters, without losing what was written late."""

import re
import uuid
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from connectors.console.logs import tailing
from tests.builders.logs import make_call, uuid_at

pytestmark = pytest.mark.django_db


def came(client, since, query=""):
    url = f"{reverse('console:my_calls')}?since_key={since}&{query}"
    page = client.get(url, headers={"HX-Target": tailing.TAIL, "HX-Request": "true"}).content.decode()
    return re.findall(r'data-key="([^"]+)"', page), page


def test_rows_above_the_key_come_newest_first_and_nothing_around_them(client, ann):
    now = timezone.now()
    old = make_call(ann, at=now - timedelta(minutes=1))
    new = [make_call(ann, at=now + timedelta(milliseconds=number)) for number in range(3)]
    keys, page = came(client, old.pk)

    assert keys[:3] == [str(call.pk) for call in reversed(new)]
    assert "<html" not in page


def test_a_row_written_late_under_a_lower_key_is_not_lost(client, ann):
    now = timezone.now()
    seen = make_call(ann, at=now)
    late = make_call(ann, at=now - timedelta(seconds=1))

    assert str(late.pk) in came(client, seen.pk)[0]


def test_the_filters_hold_for_what_comes_in(client, ann):
    make_call(ann, tool="other")
    wanted = make_call(ann, tool="wanted")

    assert came(client, uuid.UUID(int=0), "tool=wanted")[0] == [str(wanted.pk)]


def test_more_than_can_be_shown_says_so(client, ann, monkeypatch):
    monkeypatch.setattr(tailing, "MOST", 2)
    for _ in range(3):
        make_call(ann)
    keys, page = came(client, uuid.UUID(int=0))

    assert len(keys) == 2
    assert "data-skipped" in page


def test_a_key_that_is_none_is_as_good_as_none(client, ann):
    call = make_call(ann)

    assert came(client, "' OR 1=1")[0] == [str(call.pk)]


@pytest.mark.parametrize("query", ["after=01900000-0000-7000-8000-000000000000", "range=custom&until=2026-01-01T00:00"])
def test_following_is_offered_only_where_something_can_come_in(client, ann, query):
    make_call(ann)

    assert "data-tail-switch" in client.get(reverse("console:my_calls")).content.decode()
    assert "data-tail-switch" not in client.get(f"{reverse('console:my_calls')}?{query}").content.decode()


def test_a_key_some_seconds_back_bounds_what_is_asked_for(client, ann):
    now = timezone.now()
    make_call(ann, at=now - tailing.LATE - timedelta(seconds=1))

    assert came(client, uuid_at(now))[0] == []
