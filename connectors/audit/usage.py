"""How much connectors, tools and connections are used: the rollups, and the calls they do not hold yet.

Every number is exact: equal to counting the calls themselves, also those that retention has removed since. Calls count
in the UTC hour they started; `since` is taken down to its hour. Errors are calls that did not succeed. `charts.py` has
series and top lists.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import Q

from connectors.audit.latency import histogram_of
from connectors.audit.models import CallRecord
from connectors.audit.tally import CountedCall, Level, Tally, floor_day
from connectors.audit.usage_models import RollupMark, UsageSubject
from connectors.audit.usage_reading import (
    Stretch,
    read_consistently,
    subjects_of,
    sum_cells,
    sum_each,
    tally_subjects,
    uncounted_calls,
)


class ToolKey(NamedTuple):
    """A tool as the connector's policy names it; `server` is empty for a single endpoint."""

    server: str
    tool: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Use since a moment; `last_used_*` are of all time. Quantiles are within 9.1 % of the true value, None without."""

    calls: int = 0
    errors: int = 0
    last_used_at: datetime | None = None
    last_used_by: str = ""
    p50_us: int | None = None
    p95_us: int | None = None


@dataclass(slots=True)
class _Use:
    """One key's use, being added up from its subjects and its uncounted calls."""

    tally: Tally
    last_used_at: datetime | None = None
    last_used_by: str = ""

    def see(self, moment: datetime, who: str) -> None:
        if self.last_used_at is None or moment > self.last_used_at:
            self.last_used_at, self.last_used_by = moment, who

    def usage(self) -> Usage:
        tally = self.tally
        return Usage(tally.calls, tally.errors, self.last_used_at, self.last_used_by, tally.p50_us, tally.p95_us)


def usage_by_connector(keys: Collection[str], *, since: datetime) -> dict[str, Usage]:
    """Return the use of each connector; one without calls is `Usage()`."""
    found = _read(Level.CONNECTOR, Q(connector_key__in=keys), lambda one: one.connector_key, since)
    return {key: found.get(key, Usage()) for key in keys}


def usage_since_each(
    keys: Collection[str], *, moments: Collection[datetime], quantiles_since: datetime
) -> dict[datetime, dict[str, Usage]]:
    """Return the use of each connector since each of some moments, in one reading; quantiles since one of them only.

    For a list that shows several stretches of many connectors.
    """
    condition = Q(connector_key__in=keys)
    stretches = {moment: Stretch.of(moment) for moment in moments}

    def read(mark: RollupMark) -> dict[datetime, dict[str, _Use]]:
        subjects = subjects_of(Level.CONNECTOR, condition)
        counted = sum_each(subjects, list(stretches.values()))
        latencies = tally_subjects(subjects, Level.CONNECTOR, Stretch.of(quantiles_since))
        calls = uncounted_calls(mark, CallRecord.objects.filter(condition))
        uses: dict[datetime, dict[str, _Use]] = {moment: {} for moment in moments}
        for place, (moment, stretch) in enumerate(stretches.items()):
            with_quantiles = moment == quantiles_since
            for number, subject in subjects.items():
                use = uses[moment].setdefault(subject.connector_key, _Use(Tally()))
                use.see(subject.last_used_at, subject.last_person_name)
                latency = latencies[number].latency if with_quantiles and number in latencies else 0
                calls_and_errors = counted[number][place] if number in counted else (0, 0)
                use.tally.add(*calls_and_errors, latency)
            _add_calls(uses[moment], calls, stretch, lambda call: call.connector_key, quantiles=with_quantiles)
        return uses

    found = read_consistently(read)
    return {
        moment: {key: found[moment][key].usage() if key in found[moment] else Usage() for key in keys}
        for moment in moments
    }


def usage_by_connection(ids: Collection[UUID], *, since: datetime) -> dict[UUID, Usage]:
    """Return the use of each connection; one without calls is `Usage()`."""
    found = _read(Level.CONNECTION, Q(connection_id__in=ids), lambda one: one.connection_id, since)
    return {key: found.get(key, Usage()) for key in ids}


def usage_by_tool(connector_key: str, *, since: datetime) -> dict[ToolKey, Usage]:
    """Return the use of each tool of a connector that was ever called."""
    return _read(Level.TOOL, Q(connector_key=connector_key), lambda one: ToolKey(one.server, one.tool), since)


def tools_last_used(keys: Collection[str]) -> dict[str, dict[ToolKey, datetime]]:
    """Return when each tool of each connector was last used, of all time: the cheapest way to what is used at all."""
    condition = Q(connector_key__in=keys)
    columns = ("connector_key", "server", "tool", "last_used_at")

    def read(mark: RollupMark) -> list[tuple[str, str, str, datetime]]:
        subjects = UsageSubject.objects.filter(condition, level=Level.TOOL).values_list(*columns)
        calls = uncounted_calls(mark, CallRecord.objects.filter(condition))
        return [*subjects, *[(call.connector_key, call.server, call.tool, call.started_at) for call in calls]]

    tools: dict[str, dict[ToolKey, datetime]] = {key: {} for key in keys}
    for key, server, tool, at in read_consistently(read):
        known = tools[key].get(ToolKey(server, tool))
        tools[key][ToolKey(server, tool)] = max(known, at) if known else at
    return tools


def usage_by_grant(connection_ids: Collection[UUID]) -> dict[tuple[UUID, UUID], dict[ToolKey, datetime]]:
    """Return when each agent last used each tool of each connection, of all time: by (agent id, connection id)."""
    condition = Q(connection_id__in=connection_ids, agent_id__isnull=False)

    def read(mark: RollupMark) -> list[tuple[UUID, UUID, ToolKey, datetime]]:
        subjects = subjects_of(Level.EACH, condition).values()
        calls = uncounted_calls(mark, CallRecord.objects.filter(condition))
        rows = [(one, one.last_used_at) for one in subjects] + [(call, call.started_at) for call in calls]
        return [
            (one.agent_id, one.connection_id, ToolKey(one.server, one.tool), at)
            for one, at in rows
            if one.agent_id and one.connection_id
        ]

    grants: dict[tuple[UUID, UUID], dict[ToolKey, datetime]] = {}
    for agent, connection, tool, at in sorted(read_consistently(read), key=lambda row: row[3]):
        grants.setdefault((agent, connection), {})[tool] = at
    return grants


def daily_calls_by_connector(keys: Collection[str], *, since: datetime, until: datetime) -> dict[str, tuple[int, ...]]:
    """Return the calls of each UTC day from `since`'s to `until`'s, oldest first."""
    first, last = floor_day(since), floor_day(until)
    stretch = Stretch(first, last + timedelta(days=1))
    condition = Q(connector_key__in=keys)

    def read(mark: RollupMark) -> list[tuple[str, datetime, int]]:
        names = {number: one.connector_key for number, one in subjects_of(Level.CONNECTOR, condition).items()}
        days = sum_cells(("subject_id", "start"), Q(subject_id__in=names), Level.CONNECTOR, stretch)
        counted = [(names[subject], start, calls) for (subject, start), (calls, _) in days.items()]
        calls = uncounted_calls(mark, CallRecord.objects.filter(condition))
        return counted + [(call.connector_key, call.started_at, 1) for call in calls if call.started_at in stretch]

    days = {key: [0] * ((last - first).days + 1) for key in keys}
    for key, moment, calls in read_consistently(read):
        days[key][(moment.astimezone(UTC) - first).days] += calls
    return {key: tuple(counts) for key, counts in days.items()}


def _read(
    level: Level,
    condition: Q,
    key_of: Callable[[UsageSubject | CountedCall], Any],
    since: datetime,
) -> dict[Any, Usage]:
    """Add up by key what subjects and uncounted calls say of it; `condition` names columns both have."""
    stretch = Stretch.of(since)

    def read(mark: RollupMark) -> dict[Any, _Use]:
        uses: dict[Any, _Use] = {}
        subjects = subjects_of(level, condition)
        tallies = tally_subjects(subjects, level, stretch)
        for number, subject in subjects.items():
            use = uses.setdefault(key_of(subject), _Use(Tally()))
            use.see(subject.last_used_at, subject.last_person_name)
            if tally := tallies.get(number):
                use.tally.add(tally.calls, tally.errors, tally.latency)
        calls = uncounted_calls(mark, CallRecord.objects.filter(condition))
        _add_calls(uses, calls, stretch, key_of, quantiles=True)
        return uses

    return {key: use.usage() for key, use in read_consistently(read).items()}


def _add_calls(
    uses: dict[Any, _Use],
    calls: Iterable[CountedCall],
    stretch: Stretch,
    key_of: Callable[[CountedCall], Any],
    *,
    quantiles: bool,
) -> None:
    for call in calls:
        use = uses.setdefault(key_of(call), _Use(Tally()))
        use.see(call.started_at, call.person_name)
        if call.started_at in stretch:
            use.tally.add(1, int(call.failed), histogram_of(call.elapsed_us) if quantiles else 0)
