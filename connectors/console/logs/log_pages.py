"""Everything one log page shows: its rows, how many there are, its charts, and the views saved of it."""

from dataclasses import dataclass

from django.http import QueryDict
from django.utils import timezone

from connectors.access.models import User
from connectors.audit.models import SavedView
from connectors.audit.saved_views import saved_views
from connectors.console.forms.saved_views import SavedViewForm
from connectors.console.logs.addresses import AFTER, BEFORE
from connectors.console.logs.kinds import Log
from connectors.console.logs.listing import LogPage, list_log


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
    zone: str
    can_tail: bool

    @property
    def current_view(self) -> ViewLine | None:
        return next((line for line in self.views if line.current), None)


def read_log_page(log: Log, query: QueryDict, reader: User) -> WholePage:
    listed = list_log(log, query, reader)
    views = [
        ViewLine(view, view.owner_id == reader.pk, current=view.query == listed.query)
        for view in saved_views(log=log.name, reader=reader)
    ]
    paged = bool(query.get(AFTER) or query.get(BEFORE))
    return WholePage(
        listed=listed,
        views=views,
        view_form=SavedViewForm(log),
        zone=timezone.get_current_timezone_name(),
        can_tail=not paged and listed.filters.until is None and listed.form.is_valid(),
    )
