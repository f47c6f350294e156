"""The use of many connectors or connections at once, as a list shows it: only what it asks for, as of one moment.

Numbers are exact as in `usage`; the number of queries does not depend on how many there are.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Q

from connectors.audit.latency import histogram_of
from connectors.audit.models import CallRecord
from connectors.audit.tally import CountedCall, Level, Tally, floor_day
from connectors.audit.usage import ToolKey, Usage
from connectors.audit.usage_models import RollupMark, UsageSubject
from connectors.audit.usage_reading import (
    Stretch,
    read_consistently,
    sum_cells,
    sum_each,
    tally_subjects,
    uncounted_calls,
)


@dataclass(frozen=True, slots=True)
class UseWanted:
    """What a list asks beside the last use; what it does not ask is not read. `quantiles_since` is one of `moments`."""

    moments: tuple[datetime, ...] = ()
    quantiles_since: datetime | None = None
    days: tuple[datetime, datetime] | None = None  # the UTC days from the first's to the second's
    tools: bool = False


@dataclass(slots=True)
class ListedUse:
    """The use of one of them: since each moment, by the day, oldest first, and when each tool was last used, ever."""

    since: dict[datetime, Tally]
    daily: list[int]
    tools: dict[ToolKey, datetime] = field(default_factory=dict)
    last_used_at: datetime | None = None
    last_used_by: str = ""

    def usage(self, moment: datetime) -> Usage:
        tally = self.since[moment]
        return Usage(tally.calls, tally.errors, self.last_used_at, self.last_used_by, tally.p50_us, tally.p95_us)

    def see(self, moment: datetime, who: str) -> None:
        if self.last_used_at is None or moment > self.last_used_at:
            self.last_used_at, self.last_used_by = moment, who

    def see_tool(self, tool: ToolKey, moment: datetime) -> None:
        known = self.tools.get(tool)
        if known is None or moment > known:
            self.tools[tool] = moment


def use_of_connectors(keys: Collection[str], wanted: UseWanted) -> dict[str, ListedUse]:
    """Return the use of each connector, by key."""
    return _read("connector_key", Level.CONNECTOR, keys, wanted)


def use_of_connections(ids: Collection[UUID], wanted: UseWanted) -> dict[UUID, ListedUse]:
    """Return the use of each connection, by id; its tools are not among it: `usage_by_grant` has them."""
    return _read("connection_id", Level.CONNECTION, ids, wanted)


def _read[Key: (str, UUID)](
    column: str, level: Level, keys: Collection[Key], wanted: UseWanted
) -> dict[Key, ListedUse]:
    whose = Q(**{f"{column}__in": keys})

    def read(mark: RollupMark) -> dict[Key, ListedUse]:
        uses: dict[Any, ListedUse] = {key: _nothing(wanted) for key in keys}
        subjects: dict[int, ListedUse] = {}
        rows = UsageSubject.objects.filter(whose, level=level).order_by()
        for pk, key, at, who in rows.values_list("pk", column, "last_used_at", "last_person_name"):
            subjects[pk] = uses[key]
            uses[key].see(at, who)
        _add_cells(subjects, level, wanted)
        if wanted.tools:
            _add_tools(uses, whose)
        for call in uncounted_calls(mark, CallRecord.objects.filter(whose)):
            _add_call(uses[getattr(call, column)], call, wanted)
        return uses

    return read_consistently(read)


def _nothing(wanted: UseWanted) -> ListedUse:
    days = _days(wanted.days) if wanted.days else None
    length = (days.until - days.since).days if days and days.until else 0
    return ListedUse({moment: Tally() for moment in wanted.moments}, [0] * length)


def _days(ends: tuple[datetime, datetime]) -> Stretch:
    return Stretch(floor_day(ends[0]), floor_day(ends[1]) + timedelta(days=1))


def _add_cells(subjects: dict[int, ListedUse], level: Level, wanted: UseWanted) -> None:
    if wanted.moments:
        for pk, each in sum_each(subjects, [Stretch.of(moment) for moment in wanted.moments]).items():
            for moment, (calls, errors) in zip(wanted.moments, each, strict=True):
                subjects[pk].since[moment].add(calls, errors, 0)
    if since := wanted.quantiles_since:
        for pk, tally in tally_subjects(subjects, level, Stretch.of(since)).items():
            subjects[pk].since[since].latency += tally.latency
    if wanted.days:
        _add_days(subjects, level, _days(wanted.days))


def _add_days(subjects: dict[int, ListedUse], level: Level, days: Stretch) -> None:
    cells = sum_cells(("subject_id", "start"), Q(subject_id__in=subjects), level, days)
    for (pk, start), (calls, _errors) in cells.items():
        subjects[pk].daily[(start.astimezone(UTC) - days.since).days] += calls


def _add_tools(uses: dict[Any, ListedUse], whose: Q) -> None:
    """Of connectors."""
    rows = UsageSubject.objects.filter(whose, level=Level.TOOL).order_by()
    for key, server, tool, at in rows.values_list("connector_key", "server", "tool", "last_used_at"):
        uses[key].see_tool(ToolKey(server, tool), at)


def _add_call(use: ListedUse, call: CountedCall, wanted: UseWanted) -> None:
    use.see(call.started_at, call.person_name)
    for moment, tally in use.since.items():
        if call.started_at in Stretch.of(moment):
            latency = histogram_of(call.elapsed_us) if moment == wanted.quantiles_since else 0
            tally.add(1, int(call.failed), latency)
    if wanted.days and call.started_at in (days := _days(wanted.days)):
        use.daily[(call.started_at.astimezone(UTC) - days.since).days] += 1
    if wanted.tools:
        use.see_tool(ToolKey(call.server, call.tool), call.started_at)
