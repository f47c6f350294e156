"""The use of several connectors in one reading is what each question alone would tell."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from connectors.audit.rollups import roll_up
from connectors.audit.usage import ToolKey, usage_by_connector
from connectors.audit.usage_list import UseWanted, use_of_connectors
from tests.builders.logs import make_call
from tests.builders.people import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann():
    return make_user("ann")


def call(person, ago, *, connector="alpha", tool="search", **fields):
    names = {"connector_key": connector, "upstream_tool": tool, "tool": f"{connector}__{tool}"}
    return make_call(person, at=timezone.now() - ago, **names, **fields)


def test_several_stretches_at_once_count_as_each_alone(ann):
    now = timezone.now()
    for days in (0.01, 0.9, 1.1, 6.8, 7.2, 29.9, 30.1, 89, 91):
        call(ann, timedelta(days=days), outcome="failed" if days > 30 else "succeeded")
    roll_up()
    call(ann, timedelta(days=6))
    call(ann, timedelta(0), connector="beta")
    moments = [now - timedelta(days=days) for days in (7, 30, 90)]

    wanted = UseWanted(moments=tuple(moments), quantiles_since=moments[1])

    found = use_of_connectors(["alpha", "beta", "gamma"], wanted)

    for moment in moments:
        alone = usage_by_connector(["alpha", "beta", "gamma"], since=moment)
        quantiles = {} if moment == moments[1] else {"p50_us": None, "p95_us": None}
        assert {key: one.usage(moment) for key, one in found.items()} == {
            key: replace(usage, **quantiles) for key, usage in alone.items()
        }


def test_tools_know_when_each_was_last_used(ann):
    call(ann, timedelta(days=400))
    old = call(ann, timedelta(days=300), tool="write")
    roll_up()
    new = call(ann, timedelta(days=1))

    found = use_of_connectors(["alpha", "beta"], UseWanted(tools=True))

    assert {key: one.tools for key, one in found.items()} == {
        "alpha": {ToolKey("", "search"): new.started_at, ToolKey("", "write"): old.started_at},
        "beta": {},
    }


def test_days_count_apart_and_empty_ones_are_nought(ann):
    for days in (0, 2, 2):
        call(ann, timedelta(days=days))
    roll_up()
    now = timezone.now()

    found = use_of_connectors(["alpha", "beta"], UseWanted(days=(now - timedelta(days=3), now)))

    assert {key: one.daily for key, one in found.items()} == {"alpha": [0, 2, 0, 1], "beta": [0, 0, 0, 0]}


def test_what_is_not_asked_for_is_not_read(ann):
    call(ann, timedelta(days=1))
    roll_up()

    with CaptureQueriesContext(connection) as captured:
        found = use_of_connectors(["alpha"], UseWanted())["alpha"]

    assert (found.last_used_by, found.since, found.daily, found.tools) == (ann.name, {}, [], {})
    assert not [query for query in captured if "usagerollup" in query["sql"] or "usageday" in query["sql"]]
