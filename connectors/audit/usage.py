"""How much connectors, tools and connections are used: the rollups, and the calls they do not hold yet.

Every number is exact: equal to counting the calls themselves, also those that retention has removed since. Calls count
in the UTC hour they started; `since` is taken down to its hour. Errors are calls that did not succeed. `charts.py` has
series and top lists.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import Q

from connectors.audit.latency import histogram_of
from connectors.audit.models import CallRecord
from connectors.audit.tally import CountedCall, Level, Tally
from connectors.audit.usage_models import RollupMark, UsageSubject
from connectors.audit.usage_reading import (
    Stretch,
    read_consistently,
    subjects_of,
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
        _add_calls(uses, calls, stretch, key_of)
        return uses

    return {key: use.usage() for key, use in read_consistently(read).items()}


def _add_calls(
    uses: dict[Any, _Use], calls: Iterable[CountedCall], stretch: Stretch, key_of: Callable[[CountedCall], Any]
) -> None:
    for call in calls:
        use = uses.setdefault(key_of(call), _Use(Tally()))
        use.see(call.started_at, call.person_name)
        if call.started_at in stretch:
            use.tally.add(1, int(call.failed), histogram_of(call.elapsed_us))
