"""The page that decides about an update or a roll back: difference, risks to tick, people, configuration, occupancy."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.http import QueryDict
from django.utils.functional import Promise

from connectors.catalogue.carrying_over import carry_over
from connectors.catalogue.configuration_changes import FieldChange, changes_since
from connectors.catalogue.models import ConfigurationSecret, Connector
from connectors.catalogue.versions import manifest_of
from connectors.console.change_targets import Decision, Target
from connectors.console.configuration_form import (
    ConfigurationField,
    callback_address,
    describe_fields,
    draw_one_off,
    show_value,
)
from connectors.console.forms.manifest_form import ManifestForm
from connectors.console.lifecycle_words import OCCUPANTS, RISKS
from connectors.console.package_difference import ToldChange, tell_changes, tell_difference
from connectors.console.presentation import describe_connector, reader_language
from connectors.console.submitted_once import new_submission
from connectors.errors import Fault, Invalid
from connectors.lifecycle.occupancy import Occupant
from connectors.lifecycle.preview import UpdatePreview, people_to_reauthorize
from connectors.manifest.hidden_characters import show_hidden
from connectors.manifest.texts import text_for

MOST_NAMES = 100
MOST_OCCUPANTS = 50


@dataclass(frozen=True, slots=True)
class DroppedField:
    label: str
    is_secret: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """The configuration's fields by what becomes of them; of those that are dropped only their labels.

    `lost` are the labels of those that had values before the version in use, which has no such fields, came: they are
    empty on the way back.
    """

    asked: list[ConfigurationField]
    optional: list[ConfigurationField]
    kept: list[ConfigurationField]
    dropped: list[DroppedField]
    lost: list[str]

    @property
    def faulty(self) -> bool:
        """Whether a fault lies among the kept ones, which are folded."""
        return any(field.bound.errors for field in self.kept)


@dataclass(frozen=True, slots=True)
class Tick:
    """A raised risk with its own box, and what ticking it means."""

    change: ToldChange
    meaning: str
    ticked: bool


@dataclass(frozen=True, slots=True)
class Reauthorization:
    """How many people must authorize again. `at_most` while a field that may decide it is missing; not `certain` while
    only the package's program can tell. `promised` is what the form sends along: nothing else is committed."""

    people: int
    certain: bool
    at_most: bool
    promised: int | None


@dataclass(frozen=True, slots=True)
class ToldOccupant:
    """`end_url` is there where a run can be ended: while a change waits for it."""

    occupant: Occupant
    what: str | Promise
    end_url: str = ""


def draw_change(target: Target, preview: UpdatePreview, data: Mapping[str, Any] | None) -> ManifestForm:
    """Return the form of the new version's fields, with the values and secrets that are kept."""
    stored = target.connector.configuration
    fields = target.manifest.configuration.fields
    kept = {one.key: one for one in fields if one.key in preview.fields_kept}
    return ManifestForm(
        data,
        fields=fields,
        texts=target.texts,
        default_locale=target.manifest.default_locale,
        initial={key: show_value(stored[key]) for key in kept if key in stored},
        kept=frozenset(key for key, one in kept.items() if one.is_secret),
    )


def describe_change_page(
    target: Target, preview: UpdatePreview, form: ManifestForm, decision: Decision
) -> dict[str, Any]:
    """Return everything the page shows; secrets are on it by whom and when alone."""
    reauthorization = read_reauthorization(preview, decision)
    people = people_to_reauthorize(target.connector)[:MOST_NAMES] if reauthorization.people else ()
    return {
        "kind": target.kind,
        "connector": target.connector,
        "name": describe_connector(target.connector).name,
        "version": target.version,
        "digest": target.digest,
        "preview": preview,
        "difference": tell_difference(preview.difference),
        "ticks": tell_ticks(preview, decision),
        "reauthorization": reauthorization,
        "people": tuple(person.name for person in people),
        "more_people": max(reauthorization.people - MOST_NAMES, 0),
        "occupants": tell_occupants(preview.occupants),
        "form": form,
        "plan": plan_configuration(target, preview, form),
        "one_off": draw_one_off(target.manifest, target.texts),
        "callback_address": callback_address(target.manifest),
        "testable": target.manifest.runtime.adapter == "remote_mcp" or target.checkable is not None,
        "submission": new_submission(),
    }


def read_reauthorization(preview: UpdatePreview, decision: Decision) -> Reauthorization:
    """Return what the page says; once the act has said a number of its own (`Decision.corrected`), it is that one."""
    if decision.corrected is not None:
        return Reauthorization(decision.corrected, certain=True, at_most=False, promised=decision.corrected)
    at_most = not preview.reauthorize_certain and preview.reauthorize > 0
    promised = None if at_most else preview.reauthorize
    return Reauthorization(preview.reauthorize, preview.reauthorize_certain, at_most, promised)


def tell_ticks(preview: UpdatePreview, decision: Decision) -> tuple[Tick, ...]:
    """Return a box for every raised risk."""
    meanings = (str(RISKS[change.kind]) % {"subject": show_hidden(change.subject)} for change in preview.raised)
    return tuple(
        Tick(told, meaning, told.id in decision.accepted)
        for told, meaning in zip(tell_changes(preview.raised), meanings, strict=True)
    )


def find_faults(target: Target, decision: Decision) -> tuple[Fault, ...]:
    """Return what is wrong with the configuration alone: a refusal for another reason tells it at the same time."""
    try:
        carry_over(target.connector, target.manifest, decision.raw, decision.cleared)
    except Invalid as error:
        return error.faults
    return ()


def take_over(connector: Connector, sent: QueryDict, *, since: int) -> tuple[QueryDict, tuple[FieldChange, ...]]:
    """Return what was sent with the values somebody saved meanwhile, and what they changed.

    A field that was sent as it had been shown takes theirs, so that sending again undoes nothing of it.
    """
    data, changes = sent.copy(), changes_since(connector, since)
    for change in changes:
        if not change.secret and data.get(change.field) == str(show_value(change.before)):
            data[change.field] = str(show_value(change.after))
    return data, changes


def tell_occupants(occupants: Collection[Occupant]) -> tuple[ToldOccupant, ...]:
    """Return the longest ones first, in words."""
    return tuple(ToldOccupant(each, OCCUPANTS[each.kind]) for each in islice(occupants, MOST_OCCUPANTS))


def plan_configuration(target: Target, preview: UpdatePreview, form: ManifestForm) -> Plan:
    """Return which fields are asked for, may be filled in, are kept, and go."""
    kept = set(preview.fields_kept)
    needed = set(preview.fields_needed) | {one.key for one in form.described if one.required and one.key not in kept}
    secrets: dict[str, ConfigurationSecret] = {
        secret.field: secret for secret in target.connector.secrets.select_related("set_by") if secret.field in kept
    }
    optional = [one.key for one in form.described if one.key not in kept | needed]
    return Plan(
        asked=describe_fields(form, needed, secrets),
        optional=describe_fields(form, optional, secrets),
        kept=describe_fields(form, kept - needed, secrets),
        dropped=_label_dropped(target, preview),
        lost=_label_lost(target, preview, form) if target.kind == "rollback" else [],
    )


def _label_lost(target: Target, preview: UpdatePreview, form: ManifestForm) -> list[str]:
    in_use = {one.key for one in manifest_of(target.connector.version).configuration.fields}
    without_value = {*preview.fields_needed, *preview.fields_empty} - in_use
    return [str(form[one.key].label) for one in form.described if one.key in without_value]


def _label_dropped(target: Target, preview: UpdatePreview) -> list[DroppedField]:
    version = target.connector.version
    manifest = manifest_of(version)
    labels = {one.key: one.label_key for one in manifest.configuration.fields}
    language, default = reader_language(), manifest.default_locale
    told = {
        key: text_for(version.texts, labels[key], language=language, default_locale=default) if key in labels else ""
        for key in preview.fields_dropped
    }
    return [DroppedField(label or key, key in preview.secrets_dropped) for key, label in told.items()]
