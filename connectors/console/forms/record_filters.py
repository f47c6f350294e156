"""The filters of the log pages: they live in the URL, and become what `audit.queries` takes."""

import uuid
from datetime import MAXYEAR, MINYEAR, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from connectors.access.models import User
from connectors.audit.models import CallRecord
from connectors.audit.queries import CallFilters, DecisionFilters, EventFilters
from connectors.console.acts import ACTS
from connectors.console.denials import RULES

PRESETS = {"1h": timedelta(hours=1), "24h": timedelta(days=1), "7d": timedelta(days=7), "30d": timedelta(days=30)}
RANGES = [
    ("", _("Any time")),
    ("1h", _("Last hour")),
    ("24h", _("Last 24 hours")),
    ("7d", _("Last 7 days")),
    ("30d", _("Last 30 days")),
    ("custom", _("Between…")),
]
OUTCOMES = [
    ("", _("Any outcome")),
    (CallRecord.Outcome.SUCCEEDED, _("Succeeded")),
    (CallRecord.Outcome.TOOL_ERROR, _("Tool error")),
    (CallRecord.Outcome.FAILED, _("Failed")),
    (CallRecord.Outcome.UNKNOWN, _("Outcome unknown")),
]
MOMENT = forms.DateTimeInput({"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")


class MomentField(forms.DateTimeField):
    """A moment with room on both sides: at the ends of the calendar neither zones nor margins can be reckoned."""

    def to_python(self, value: Any) -> datetime | None:
        moment = super().to_python(value)
        if moment is not None and not MINYEAR < moment.year < MAXYEAR:
            raise forms.ValidationError(self.error_messages["invalid"], code="invalid")
        return moment


class LogFilterForm(forms.Form):
    """The time range every log has; `next` and `previous` page keys are not filters and are read apart."""

    range = forms.ChoiceField(label=_("Time"), choices=RANGES, required=False)
    since = MomentField(label=pgettext_lazy("time", "From"), required=False, widget=MOMENT)
    until = MomentField(label=_("Until"), required=False, widget=MOMENT)

    def __init__(self, data: Any = None, **kwargs: Any) -> None:
        super().__init__(data, auto_id="filter-%s", **kwargs)

    @property
    def in_use(self) -> bool:
        """Whether anything narrows the list, so that an empty one can offer to clear the filters."""
        return any(self.data.get(name) for name in self.fields)

    def period(self) -> dict[str, datetime | None]:
        chosen = self.cleaned_data.get("range") or ""
        if chosen in PRESETS:
            return {"since": timezone.now() - PRESETS[chosen], "until": None}
        return {"since": self.cleaned_data.get("since"), "until": self.cleaned_data.get("until")}

    def zone(self) -> ZoneInfo:
        return ZoneInfo(timezone.get_current_timezone_name())


class RecordFilterForm(LogFilterForm):
    person = forms.CharField(label=_("Person"), required=False, max_length=150)
    agent = forms.CharField(label=_("Agent"), required=False, max_length=100)
    connector = forms.CharField(label=_("Connector"), required=False, max_length=64)
    tool = forms.CharField(label=_("Tool"), required=False, max_length=255)
    connection = forms.UUIDField(required=False, widget=forms.HiddenInput)
    run = forms.UUIDField(required=False, widget=forms.HiddenInput)

    def __init__(self, data: Any = None, *, everyone: bool, **kwargs: Any) -> None:
        super().__init__(data, **kwargs)
        if not everyone:
            del self.fields["person"]

    def subject(self, owner_id: int | None) -> dict[str, Any]:
        values = self.cleaned_data
        return {
            **self.period(),
            "owner_id": owner_id,
            "person_ids": _people_called(values.get("person") or ""),
            "agent_name": values.get("agent") or "",
            "connector_key": values.get("connector") or "",
            "tool": values.get("tool") or "",
            "connection_id": values.get("connection"),
            "run_id": values.get("run"),
        }


class CallFilterForm(RecordFilterForm):
    outcome = forms.ChoiceField(label=_("Outcome"), choices=OUTCOMES, required=False)
    field_order = ("range", "since", "until", "person", "agent", "connector", "tool", "outcome")

    def filters(self, owner_id: int | None) -> CallFilters:
        return CallFilters(**self.subject(owner_id), outcome=self.cleaned_data.get("outcome") or "")


class DecisionFilterForm(RecordFilterForm):
    allowed = forms.ChoiceField(
        label=_("Decision"),
        choices=[("", _("Any decision")), ("yes", _("Allowed")), ("no", _("Denied"))],
        required=False,
    )
    rule = forms.ChoiceField(label=_("Rule"), required=False)
    field_order = ("range", "since", "until", "person", "agent", "connector", "tool", "allowed", "rule")

    def __init__(self, data: Any = None, *, everyone: bool, **kwargs: Any) -> None:
        super().__init__(data, everyone=everyone, **kwargs)
        rule = self.fields["rule"]
        assert isinstance(rule, forms.ChoiceField)
        rule.choices = [("", _("Any rule")), *((key, text.title) for key, text in RULES.items())]

    def filters(self, owner_id: int | None) -> DecisionFilters:
        allowed = {"yes": True, "no": False}.get(self.cleaned_data.get("allowed") or "")
        return DecisionFilters(**self.subject(owner_id), allowed=allowed, rule=self.cleaned_data.get("rule") or "")


class EventFilterForm(LogFilterForm):
    actor = forms.CharField(label=_("Person"), required=False, max_length=150)
    act = forms.ChoiceField(label=_("Act"), choices=[("", _("Any act")), *ACTS.items()], required=False)
    target = forms.CharField(label=_("Target"), required=False, max_length=255)
    field_order = ("range", "since", "until", "actor", "act", "target")

    def filters(self) -> EventFilters:
        values = self.cleaned_data
        return EventFilters(
            **self.period(),
            actor_name=values.get("actor") or "",
            act=values.get("act") or "",
            target=values.get("target") or "",
        )


def read_page_key(text: str) -> uuid.UUID | None:
    """A page key from the URL; one that is not a UUID is as good as none."""
    try:
        return uuid.UUID(text)
    except ValueError:
        return None


def _people_called(text: str) -> tuple[int, ...] | None:
    """Ids of the people with that user name or display name; nobody so called finds nothing."""
    if not text:
        return None
    named = Q(username__iexact=text) | Q(display_name__iexact=text)
    return tuple(User.objects.filter(named).values_list("pk", flat=True)[:100])
