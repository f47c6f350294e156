"""What was used most among the calls that the filters leave; each leads to the log of it alone."""

from dataclasses import dataclass
from typing import Final

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from connectors.access.models import User
from connectors.audit.charts import By, Top, usage_tops
from connectors.audit.queries import CallFilters
from connectors.audit.tally import floor_day
from connectors.console.logs.addresses import without
from connectors.console.logs.charts import chart_period
from connectors.console.logs.lines import Text
from connectors.console.presentation import describe_keys
from connectors.console.rendering.charts import draw_share

LEADERS: Final = 5
TITLES: Final[dict[By, Text]] = {
    "tool": _("Tools"),
    "connector": pgettext_lazy("used most", "Connectors"),
    "person": _("People"),
    "code": _("Error codes"),
}


@dataclass(frozen=True, slots=True)
class Leader:
    name: str
    below: str
    calls: int
    errors: int
    p95_us: int | None
    url: str  # of the log with this one only
    bar: SafeString


@dataclass(frozen=True, slots=True)
class TopList:
    title: Text
    leaders: list[Leader]


def list_tops(filters: CallFilters, *, address: str, everyone: bool) -> list[TopList]:
    """Return a list each of tools, connectors, people and error codes, as far as there is anything in it."""
    since, _until = chart_period(filters)
    since = since if filters.since else floor_day(since)  # whole days are read at once
    bys = [by for by in TITLES if by != "person" or everyone]
    tops = usage_tops(bys, filters, since=since, until=filters.until, limit=LEADERS)
    return [TopList(TITLES[by], _leaders(by, found, address)) for by, found in tops.items() if found]


def _leaders(by: By, found: tuple[Top, ...], address: str) -> list[Leader]:
    names = _people(found) if by == "person" else describe_keys(str(top.key[0]) for top in found)
    most = max(top.usage.calls for top in found)
    return [_leader(by, top, address, names, most) for top in found]


def _people(found: tuple[Top, ...]) -> dict[str, str]:
    """Names by id: what the counts last knew, else what the person is called now, else the bare id."""
    unknown = User.objects.filter(pk__in=[top.key[0] for top in found if not top.name])
    known = {str(person.pk): person.name for person in unknown}
    return {str(top.key[0]): top.name or known.get(str(top.key[0]), str(top.key[0])) for top in found}


def _leader(by: By, top: Top, address: str, names: dict[str, str], most: int) -> Leader:
    path, _mark, query = address.partition("?")
    first = str(top.key[0])
    match by:
        case "connector":
            name, below, narrowed = names[first], "", {"connector": first}
        case "tool":
            tool = str(top.key[-1])
            name, below, narrowed = tool, names[first], {"connector": first, "tool": tool}
        case "code":
            code = str(top.key[-1])
            narrowed = {"connector": first, "error": code} if code else {"connector": first, "outcome": "tool_error"}
            name, below = code or _now("The tool's own error"), names[first]
        case _:
            name, below, narrowed = names[first], "", {"person": names[first]}
    usage = top.usage
    return Leader(
        name=name,
        below=below,
        calls=usage.calls,
        errors=usage.errors,
        p95_us=usage.p95_us,
        url=f"{path}?{without(query, *narrowed, **narrowed)}",
        bar=draw_share(usage.calls, most, tone="bad" if by == "code" else "accent"),
    )
