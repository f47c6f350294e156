"""Everything one log page shows: its rows, how many there are, its charts, and the views saved of it."""

from dataclasses import dataclass
from typing import Final

from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from connectors.access.models import User
from connectors.audit.models import SavedView
from connectors.audit.queries import COUNTED, CallFilters
from connectors.audit.saved_views import saved_views
from connectors.console.forms.saved_views import SavedViewForm
from connectors.console.logs.addresses import AFTER, BEFORE, address_of, clean_query, usual_columns
from connectors.console.logs.charts import Insight, draw_charts
from connectors.console.logs.kinds import Filters, Log
from connectors.console.logs.listing import LogPage, list_log
from connectors.console.logs.tops import TopList, list_tops
from connectors.console.rendering.amounts import tell_count
from connectors.errors import NotFound

COUNT: Final = "log-count"  # what the page asks into, once it is there
CHARTS: Final = "log-charts"
TOPS: Final = "log-tops"
WITH_CHARTS: Final = "charts"  # asked for in the address, where no script does it


@dataclass(frozen=True, slots=True)
class ViewLine:
    view: SavedView
    mine: bool
    current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class WholePage:
    listed: LogPage
    views: list[ViewLine]
    view_form: SavedViewForm
    usual_columns: str
    zone: str
    counted: str  # "" where it is asked for once the page is there
    can_tail: bool
    has_charts: bool
    insight: Insight | None
    tops: list[TopList]

    @property
    def current_view(self) -> ViewLine | None:
        return next((line for line in self.views if line.current), None)


def count_log(log: Log, query: QueryDict, reader: User) -> str:
    """Say how many rows the filters leave: exactly up to a bound, beyond it that there are more."""
    counted = log.source.count(log.read_filters(log.make_form(query), reader))
    if not counted.more:
        return tell_rows(counted.number)
    words = _("More than %(count)s rows") if counted.number >= COUNTED else _("At least %(count)s rows")
    return words % {"count": tell_count(counted.number)}


def read_charts(log: Log, query: QueryDict, reader: User) -> Insight:
    """Return the charts of a log of calls. Raises NotFound for any other."""
    form = log.make_form(query)
    filters = _of_calls(log.read_filters(form, reader))
    return draw_charts(filters, form, address=address_of(log, clean_query(log, form)))


def read_tops(log: Log, query: QueryDict, reader: User) -> list[TopList]:
    """Return what was used most in a log of calls. Raises NotFound for any other."""
    form = log.make_form(query)
    filters = _of_calls(log.read_filters(form, reader))
    return list_tops(filters, address=address_of(log, clean_query(log, form)), everyone=log.everyone)


def _of_calls(filters: Filters) -> CallFilters:
    if not isinstance(filters, CallFilters):
        raise NotFound
    return filters


def tell_rows(number: int) -> str:
    return ngettext("%(count)s row", "%(count)s rows", number) % {"count": tell_count(number)}


def read_log_page(log: Log, query: QueryDict, reader: User) -> WholePage:
    listed = list_log(log, query, reader)
    views = [
        ViewLine(view, view.owner_id == reader.pk, current=view.query == listed.query)
        for view in saved_views(log=log.name, reader=reader)
    ]
    paged = bool(query.get(AFTER) or query.get(BEFORE))
    has_charts = log.source.kind == "calls" and not paged
    drawn = has_charts and bool(query.get(WITH_CHARTS))
    return WholePage(
        listed=listed,
        views=views,
        view_form=SavedViewForm(log),
        usual_columns=" ".join(usual_columns(log)),
        zone=timezone.get_current_timezone_name(),
        counted=tell_rows(len(listed.rows)) if listed.whole and listed.rows else "",
        has_charts=has_charts,
        insight=read_charts(log, query, reader) if drawn else None,
        tops=read_tops(log, query, reader) if drawn else [],
        can_tail=not paged and listed.filters.until is None and listed.form.is_valid(),
    )
