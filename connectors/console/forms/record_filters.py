"""The filters of calls, decisions and administrative events; each becomes what `audit.queries` takes."""

from typing import Any, ClassVar, cast

from django import forms
from django.utils.translation import gettext_lazy as _

from connectors.access.models import User
from connectors.audit.filters import any_of
from connectors.audit.models import CallRecord
from connectors.audit.queries import CallFilters, DecisionFilters, EventFilters
from connectors.console.acts import ACTS
from connectors.console.denials import RULES
from connectors.console.forms.log_filters import Choices, LogFilterForm
from connectors.console.rendering.states import EFFECTS, STATES
from connectors.gateway.models import Run

MOST_NAMESAKES = 100
OUTCOMES: Choices = [
    ("", _("Any outcome")),
    *((outcome, STATES[outcome].label) for outcome in CallRecord.Outcome.values),
]
ORIGINS: Choices = [("", _("Any origin")), *((origin, STATES[origin].label) for origin in Run.Origin.values)]
EFFECT_CHOICES: Choices = [("", _("Any effect")), *((key, effect.label) for key, effect in EFFECTS.items())]
# What each field of a form is called where rows are filtered.
_TEXTS = {
    "text": "text",
    "agent": "agent_name",
    "connector": "connector_key",
    "tool": "tool",
    "alias": "alias",
    "effect": "effect",
    "origin": "origin",
    "version": "package_version",
    "address": "remote_address",
    "trace": "trace_id",
}
_KEYS = {"connection": "connection_id", "run": "run_id", "approval": "approval_id"}
_CALL_TEXTS = {
    "outcome": "outcome",
    "error": "error_code",
    "server": "server_address",
    "place": "server",
    "credential": "credential_fingerprint",
    "arguments": "arguments_digest",
    "result": "result_digest",
}
_YES_NO = {"yes": True, "no": False}
_DECISION_TEXTS = {"rule": "rule", "reason": "reason", "revision": "manifest_revision", "digest": "tool_digest"}
CALL_NAMES = {
    **_TEXTS,
    **_KEYS,
    **_CALL_TEXTS,
    "person": "person_ids",
    "slower": "slower_than_us",
    "retries": "retries",
    "kept": "captured",
}


def _text(label: Any, length: int) -> forms.CharField:
    return forms.CharField(label=label, required=False, max_length=length)


def _key(label: Any) -> forms.UUIDField:
    """An id; only links fill it, its chip takes it away again."""
    return forms.UUIDField(label=label, required=False, widget=forms.HiddenInput)


class RecordFilterForm(LogFilterForm):
    """Who asked for what, which calls and decisions share. Only who may see everybody's rows filters by person."""

    more: ClassVar = frozenset(("agent", "alias", "effect", "origin", "version", "address", "trace"))
    person = _text(_("Person"), 150)
    connector = _text(_("Connector"), 64)
    tool = _text(_("Tool"), 255)
    agent = _text(_("Agent"), 100)
    alias = _text(_("Connection alias"), 64)
    effect = forms.ChoiceField(label=_("Effect"), choices=EFFECT_CHOICES, required=False)
    origin = forms.ChoiceField(label=_("Origin"), choices=ORIGINS, required=False)
    version = _text(_("Package version"), 32)
    address = _text(_("From address"), 45)
    trace = _text(_("Trace"), 64)
    connection = _key(_("Connection"))
    run = _key(_("Run"))
    approval = _key(_("Approval"))

    def __init__(self, data: Any = None, *, everyone: bool, columns: Choices = (), **kwargs: Any) -> None:
        super().__init__(data, columns=columns, **kwargs)
        if not everyone:
            del self.fields["person"]

    def subject(self, owner_id: int | None) -> dict[str, Any]:
        values = self.cleaned_data
        return {
            **self.period(),
            **_filled(values, _TEXTS),
            **{field: values.get(name) for name, field in _KEYS.items()},
            "owner_id": owner_id,
            "person_ids": _people_called(values.get("person") or ""),
        }


class CallFilterForm(RecordFilterForm):
    more: ClassVar = RecordFilterForm.more | {
        *("error", "server", "slower", "retries", "place", "credential", "arguments", "result", "kept")
    }
    outcome = forms.ChoiceField(label=_("Outcome"), choices=OUTCOMES, required=False)
    error = _text(_("Error code"), 48)
    server = _text(_("Service address"), 255)
    slower = forms.IntegerField(
        label=_("Slower than (ms)"), required=False, min_value=1, max_value=1_000_000, widget=forms.NumberInput
    )
    retries = forms.IntegerField(
        label=_("Retries, at least"), required=False, min_value=1, max_value=1000, widget=forms.NumberInput
    )
    place = _text(_("Server of the package"), 64)
    credential = _text(_("Credential's fingerprint"), 7)
    arguments = _text(_("Arguments digest"), 64)
    result = _text(_("Result digest"), 64)
    kept = forms.ChoiceField(
        label=_("Content was kept"), choices=[("", "—"), ("yes", _("Yes")), ("no", _("No"))], required=False
    )
    field_order = ("text", "range", "since", "until", "person", "connector", "tool", "outcome", "error", "slower")

    def filters(self, owner_id: int | None) -> CallFilters:
        values = self.cleaned_data
        slower = values.get("slower")
        return CallFilters(
            **self.subject(owner_id),
            **_filled(values, _CALL_TEXTS),
            slower_than_us=slower * 1000 if slower else None,
            retries=values.get("retries"),
            captured=_YES_NO.get(values.get("kept") or ""),
        )

    def clean_credential(self) -> str:
        """As the log shows it, or without the mark before it."""
        return str(self.cleaned_data["credential"]).removeprefix("…").lower()


class DecisionFilterForm(RecordFilterForm):
    more: ClassVar = RecordFilterForm.more | {"reason", "revision", "digest"}
    allowed = forms.ChoiceField(
        label=_("Decision"),
        choices=[("", _("Any decision")), ("yes", _("Allowed")), ("no", _("Denied"))],
        required=False,
    )
    rule = forms.ChoiceField(label=_("Rule"), required=False)
    reason = _text(_("Reason"), 64)
    revision = _text(_("Package revision"), 64)
    digest = _text(_("Tool digest"), 64)
    field_order = ("text", "range", "since", "until", "person", "connector", "tool", "allowed", "rule", "reason")

    def __init__(self, data: Any = None, *, everyone: bool, **kwargs: Any) -> None:
        super().__init__(data, everyone=everyone, **kwargs)
        rule = cast("forms.ChoiceField", self.fields["rule"])
        rule.choices = [("", _("Any rule")), *((key, text.title) for key, text in RULES.items())]

    def filters(self, owner_id: int | None) -> DecisionFilters:
        values = self.cleaned_data
        return DecisionFilters(
            **self.subject(owner_id),
            allowed=_YES_NO.get(values.get("allowed") or ""),
            **_filled(values, _DECISION_TEXTS),
        )


class EventFilterForm(LogFilterForm):
    actor = _text(_("Person"), 150)
    act = forms.ChoiceField(label=_("Act"), choices=[("", _("Any act")), *ACTS.items()], required=False)
    target = _text(_("Target"), 255)
    changed = _text(_("What changed"), 200)
    address = _text(_("From address"), 45)
    kind = forms.CharField(label=_("Kind of target"), required=False, max_length=32, widget=forms.HiddenInput)
    field_order = ("text", "range", "since", "until", "actor", "act", "target", "changed")

    def filters(self) -> EventFilters:
        values = self.cleaned_data
        return EventFilters(
            **self.period(),
            text=values.get("text") or "",
            actor_name=values.get("actor") or "",
            act=values.get("act") or "",
            target=values.get("target") or "",
            target_kind=values.get("kind") or "",
            changed=values.get("changed") or "",
            remote_address=values.get("address") or "",
        )


def _filled(values: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    return {field: values.get(name) or "" for name, field in names.items()}


def _people_called(text: str) -> tuple[int, ...] | None:
    """Ids of the people with that user name or display name, else of those with a part of it.

    Nobody so called finds nothing.
    """
    if not text:
        return None
    people = User.objects.order_by("pk").values_list("pk", flat=True)
    for match in ("iexact", "icontains"):
        named = any_of((f"username__{match}", f"display_name__{match}"), text)
        if found := tuple(people.filter(named)[:MOST_NAMESAKES]):
            return found
    return ()
