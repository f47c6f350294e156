"""The filters in use, each with the address of the same page without it."""

from dataclasses import dataclass

from django import forms
from django.forms.boundfield import BoundField
from django.utils.translation import gettext as _

from connectors.console.forms.log_filters import PLACE, LogFilterForm
from connectors.console.logs.addresses import without
from connectors.console.logs.lines import Text

_SHORT = 8


@dataclass(frozen=True, slots=True)
class Chip:
    name: Text
    value: str
    query: str  # of the page without this filter


def tell_filters(form: LogFilterForm, query: str) -> list[Chip]:
    """Return a chip for each filter that narrows; both moments of a stretch are one."""
    chips = []
    moments = [form.data.get(name) for name in ("since", "until")]
    chosen = form.cleaned_data.get("range")
    if any(moments) and chosen in ("", "custom", None):
        chips.append(Chip(form["range"].label, _stretch(form), without(query, "range", *PLACE)))
    for field in [*form.first, *form.behind, *form.hidden]:
        if (
            field.name in PLACE
            or not form.cleaned_data.get(field.name)
            or (field.name == "range" and chosen == "custom")
        ):
            continue
        names = ("range", *PLACE) if field.name == "range" else (field.name,)
        chips.append(Chip(field.label, _worded(field), without(query, *names)))
    return chips


def _stretch(form: LogFilterForm) -> str:
    since, until = (str(form.data.get(name) or "…").replace("T", " ") for name in ("since", "until"))
    return _("%(since)s to %(until)s, %(zone)s") % {"since": since, "until": until, "zone": form.clock_zone}


def _worded(field: BoundField) -> str:
    value = str(field.value())
    if isinstance(field.field, forms.ChoiceField):
        return str(dict(field.field.choices).get(value, value))  # type: ignore[arg-type] # no groups among them
    return f"{value[:_SHORT]}…" if isinstance(field.field, forms.UUIDField) else value
