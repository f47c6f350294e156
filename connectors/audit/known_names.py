"""The names calls ever had, as the rollups know them: a short list where the log is a long one."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from uuid import UUID

from django.db.models import QuerySet

from connectors.audit.filters import any_of
from connectors.audit.usage_models import UsageSubject

Level = UsageSubject.Level


@dataclass(frozen=True, slots=True)
class KnownNames:
    """What a part of a name stands for. `tools` are public tool names by connector."""

    connectors: tuple[str, ...] = ()
    people: tuple[int, ...] = ()
    codes: tuple[str, ...] = ()
    tools: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.connectors) + len(self.people) + len(self.codes) + len(self.tools)


def find_names(*, text: str, tool: str, connector_key: str, limit: int) -> KnownNames | None:
    """Return what the text (else the part of a tool's name) may mean, None when that is more than `limit` things."""
    tools = _tools(text or tool, connector_key, limit)
    if not text:
        found = KnownNames(tools=tools)
        return found if len(found) <= limit else None
    connectors: tuple[str, ...] = _distinct(
        _level(Level.CONNECTOR).filter(connector_key__icontains=text), "connector_key", limit
    )
    codes: tuple[str, ...] = _distinct(_level(Level.CODE).filter(error_code__icontains=text), "error_code", limit)
    found = KnownNames(
        connectors=connectors,
        people=_distinct(
            _level(Level.CONNECTION).filter(any_of(("person_name__icontains",), text)), "person_id", limit
        ),
        codes=codes,
        tools={key: names for key, names in tools.items() if key not in connectors},
    )
    return found if len(found) <= limit else None


def people_of(connection_id: UUID | None, agent_id: UUID | None) -> tuple[int, ...]:
    """Return whose a connection or an agent is; nobody's while no call of it is counted."""
    if connection_id is not None:
        theirs = _level(Level.CONNECTION).filter(connection_id=connection_id)
    elif agent_id is not None:
        theirs = _level(Level.EACH).filter(agent_id=agent_id)
    else:
        return ()
    return _distinct(theirs.filter(person_id__isnull=False), "person_id", 1)


def _tools(part: str, connector_key: str, limit: int) -> dict[str, tuple[str, ...]]:
    matching = _level(Level.TOOL).filter(any_of(("tool__icontains", "public_tool__icontains"), part))
    if connector_key:
        matching = matching.filter(connector_key=connector_key)
    names: dict[str, list[str]] = {}
    for key, name in matching.values_list("connector_key", "public_tool"):
        names.setdefault(key, []).append(name)
        if len(names) > limit:
            break
    return {key: tuple(found) for key, found in names.items()}


def _level(level: Level) -> QuerySet[UsageSubject]:
    return UsageSubject.objects.filter(level=level)


def _distinct[Value](subjects: QuerySet[UsageSubject], column: str, limit: int) -> tuple[Value, ...]:
    values: Iterable[Value] = subjects.order_by().values_list(column, flat=True).distinct()[: limit + 1]
    return tuple(values)
