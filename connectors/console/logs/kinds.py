"""The five logs: everybody's calls, decisions and administrative events, and one's own calls and decisions.

They have one shape. What differs is said here; lists, tails, exports, saved views and charts take a `Log`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from django.core.exceptions import PermissionDenied
from django.utils.translation import gettext_lazy as _

from connectors.access.models import User
from connectors.audit import queries
from connectors.audit.models import SavedView
from connectors.console.forms.log_filters import Choices, LogFilterForm
from connectors.console.forms.record_filters import CallFilterForm, DecisionFilterForm, EventFilterForm
from connectors.console.logs.call_fields import CALL_FIELDS
from connectors.console.logs.decision_fields import DECISION_FIELDS
from connectors.console.logs.event_fields import EVENT_FIELDS
from connectors.console.logs.lines import Field, Line, Text, word_calls, word_decisions, word_events
from connectors.console.permissions import VIEW_AUDIT
from connectors.errors import NotFound

type Kind = Literal["calls", "decisions", "events"]
type Filters = queries.CallFilters | queries.DecisionFilters | queries.EventFilters


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where the rows of a kind come from."""

    kind: Kind
    form: Callable[..., Any]
    fields: tuple[Field[Any], ...]
    page: Callable[..., queries.Page[Any]]
    newest: Callable[..., queries.Newest[Any]]
    count: Callable[..., queries.Counted]
    word: Callable[[Iterable[Any], User], Sequence[Line]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """One log as somebody reads it. Without `everyone` only the reader's own rows exist in it."""

    name: SavedView.Log
    source: Source
    route: str
    everyone: bool
    title: Text
    lead: Text
    caption: Text
    none_title: Text
    none_text: Text

    @property
    def fields(self) -> list[Field[Any]]:
        return [field for field in self.source.fields if self.everyone or not field.for_everyone]

    @property
    def columns(self) -> list[Field[Any]]:
        """The fields one may choose as columns."""
        return [field for field in self.fields if not field.fact_only]

    @property
    def choices(self) -> Choices:
        return [(field.key, field.title) for field in self.columns]

    def make_form(self, query: Any) -> LogFilterForm:
        """Return the filters as a validated form."""
        options = {} if self.source.kind == "events" else {"everyone": self.everyone}
        form: LogFilterForm = self.source.form(query, columns=self.choices, **options)
        form.is_valid()
        return form

    def read_filters(self, form: Any, reader: User) -> Filters:
        """Return what narrows the rows; in one's own log whatever the form says stays within one's own."""
        if self.source.kind == "events":
            return form.filters()  # type: ignore[no-any-return] # one form a kind, each with its filters
        return form.filters(None if self.everyone else reader.pk)  # type: ignore[no-any-return]


_CALLS = Source(
    kind="calls",
    form=CallFilterForm,
    fields=CALL_FIELDS,
    page=queries.calls,
    newest=queries.newest_calls,
    count=queries.count_calls,
    word=word_calls,
)
_DECISIONS = Source(
    kind="decisions",
    form=DecisionFilterForm,
    fields=DECISION_FIELDS,
    page=queries.decisions,
    newest=queries.newest_decisions,
    count=queries.count_decisions,
    word=word_decisions,
)
_EVENTS = Source(
    kind="events",
    form=EventFilterForm,
    fields=EVENT_FIELDS,
    page=queries.events,
    newest=queries.newest_events,
    count=queries.count_events,
    word=word_events,
)

_CALLS_TO_COME = {
    "caption": _("Calls, newest first"),
    "none_title": _("No calls yet"),
    "none_text": _("As soon as an agent calls a tool, the call is here with its outcome, sizes and times."),
}
_DECISIONS_TO_COME = {
    "caption": _("Decisions, newest first"),
    "none_title": _("No decisions yet"),
    "none_text": _("Whenever an agent asks for a tool, the answer is here with the rule that decided."),
}
ALL_CALLS = Log(
    name=SavedView.Log.CALLS,
    source=_CALLS,
    route="audit_calls",
    everyone=True,
    title=_("Calls"),
    lead=_("Every call that was handed to a connector, for everybody."),
    **_CALLS_TO_COME,
)
ALL_DECISIONS = Log(
    name=SavedView.Log.DECISIONS,
    source=_DECISIONS,
    route="audit_decisions",
    everyone=True,
    title=_("Decisions"),
    lead=_("Every allow and deny, with the rule that decided."),
    **_DECISIONS_TO_COME,
)
ALL_EVENTS = Log(
    name=SavedView.Log.EVENTS,
    source=_EVENTS,
    route="admin_events",
    everyone=True,
    title=_("Admin events"),
    lead=_("Who changed what in the set-up. Secrets are masked before they get here."),
    caption=_("Admin events, newest first"),
    none_title=_("No events yet"),
    none_text=_("Installing, publishing, granting and every other change to the set-up is here."),
)
MY_CALLS = Log(
    name=SavedView.Log.MY_CALLS,
    source=_CALLS,
    route="my_calls",
    everyone=False,
    title=_("My calls"),
    lead=_("Every call your agents made through your connections."),
    **_CALLS_TO_COME,
)
MY_DECISIONS = Log(
    name=SavedView.Log.MY_DECISIONS,
    source=_DECISIONS,
    route="my_decisions",
    everyone=False,
    title=_("My decisions"),
    lead=_("What your agents asked for, whether they were allowed, and why."),
    **_DECISIONS_TO_COME,
)
LOGS: Final[dict[str, Log]] = {
    str(log.name): log for log in (ALL_CALLS, ALL_DECISIONS, ALL_EVENTS, MY_CALLS, MY_DECISIONS)
}


def open_log(name: str, reader: User) -> Log:
    """Return the log of that name. Raises NotFound for none, PermissionDenied for one the reader may not see."""
    log = LOGS.get(name)
    if log is None:
        raise NotFound
    if log.everyone and not reader.has_perm(VIEW_AUDIT):
        raise PermissionDenied
    return log
