"""What the second of two editors of a configuration sees: who changed what meanwhile, beside what they typed.

A field they left as it was when they opened the form takes the other's value, so that saving again undoes nothing; one
they changed too keeps what they typed, and says what the other made of it. Secrets are told of, never kept.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext

from connectors.catalogue.configuration_changes import FieldChange, changes_since
from connectors.catalogue.models import Connector
from connectors.console.acts import name_act
from connectors.console.configuration_form import CLEAR, draw_configuration, read_cleared, show_value
from connectors.console.forms.manifest_form import ManifestForm

_SAVED = "configuration_saved"


@dataclass(frozen=True, slots=True)
class ChangedField:
    """One field in words. `kept` says that the reader changed it too: what they typed stays in the form."""

    label: str
    secret: bool
    was: str
    now: str
    typed: str
    kept: bool
    by: str
    at: datetime
    act: str | Promise  # empty for the usual one


@dataclass(frozen=True, slots=True)
class SecondEdit:
    form: ManifestForm
    changes: tuple[ChangedField, ...]

    @property
    def people(self) -> list[str]:
        return list(dict.fromkeys(change.by for change in self.changes))

    @property
    def kept(self) -> int:
        return sum(change.kept for change in self.changes)


def merge_edits(connector: Connector, data: Mapping[str, Any], *, revision: int) -> SecondEdit:
    """Return the form as it goes on, and each field that changed after the revision the reader had opened."""
    typed = draw_configuration(connector, data).raw_values()
    merged: dict[str, Any] = {**typed, **{CLEAR + key: "yes" for key in read_cleared(data)}}
    changes = changes_since(connector, revision)
    drawn = draw_configuration(connector, merged)
    told = []
    for change in changes:
        kept = _is_kept(change, typed)
        if not change.secret and not kept and change.field in drawn.fields:
            merged[change.field] = _write(change.after)
        told.append(_tell(change, drawn, typed, kept=kept))
    for one in drawn.described:
        if one.is_secret:
            merged.pop(one.key, None)
    return SecondEdit(draw_configuration(connector, merged), tuple(told))


def _is_kept(change: FieldChange, typed: Mapping[str, str]) -> bool:
    """Whether the reader changed the field too, and otherwise."""
    if change.secret or change.field not in typed:
        return False
    return typed[change.field].strip() not in (_write(change.before), _write(change.after))


def _tell(change: FieldChange, form: ManifestForm, typed: Mapping[str, str], *, kept: bool) -> ChangedField:
    choices = _choices(form, change.field)
    known = change.field in form.fields
    return ChangedField(
        label=str(form[change.field].label) if known else change.field,
        secret=change.secret,
        was="" if change.secret else choices.get(_write(change.before), _write(change.before)),
        now=_word_secret(change.after) if change.secret else choices.get(_write(change.after), _write(change.after)),
        typed=choices.get(typed[change.field], typed[change.field]) if kept else "",
        kept=kept,
        by=change.by,
        at=change.at,
        act="" if change.act == _SAVED else name_act(change.act),
    )


def _word_secret(word: Any) -> str:
    words = {"set": gettext("Set"), "replaced": gettext("Replaced"), "cleared": gettext("Cleared")}
    return words.get(str(word), gettext("Changed"))


def _choices(form: ManifestForm, field: str) -> dict[str, str]:
    widget = form.fields[field].widget if field in form.fields else None
    return {str(value): str(label) for value, label in getattr(widget, "choices", ())}


def _write(value: Any) -> str:
    return "" if value is None else str(show_value(value))
