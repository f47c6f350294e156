"""Change and open a connector's configuration (handbook §3).

A secret is written, never shown: left blank it stays, `cleared` removes it where it is optional. It stays only for the
servers it was given for: when an address of the configuration moves to another origin, kept secrets must be typed again
(safety §25, decision record 0008).
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from connectors.access.epoch import bump_catalogue
from connectors.access.models import User
from connectors.catalogue.configuration_changes import stale_configuration
from connectors.catalogue.endpoints import origin_of
from connectors.catalogue.events import record_connector_event
from connectors.catalogue.fingerprint import compute_fingerprint
from connectors.catalogue.locking import lock_connector, require_open
from connectors.catalogue.models import Connector
from connectors.catalogue.program import ask_about_configuration
from connectors.catalogue.sealed_configuration import forget_values, open_values, seal_values
from connectors.catalogue.versions import manifest_of
from connectors.errors import Conflict, Fault, Invalid, NotFound
from connectors.manifest.fields import Field
from connectors.manifest.values import ParsedValues, Value, parse_values
from connectors.vault.secret import Secret

type NoteFingerprint = Callable[[Connector, str], int]


@dataclass(frozen=True, slots=True)
class OpenConfiguration:
    """A configuration ready for use; its secrets mask themselves."""

    public: dict[str, Value] = field(default_factory=dict)
    secrets: dict[str, Secret] = field(default_factory=dict)


def open_configuration(connector: Connector) -> OpenConfiguration:
    """Return a connector's values, secrets opened; raise `vault.errors.CannotOpen` when one is damaged."""
    return OpenConfiguration(public=dict(connector.configuration), secrets=open_values(connector))


def save_configuration(
    *,
    connector: Connector,
    raw: Mapping[str, str],
    cleared: Collection[str] = (),
    expected_revision: int,
    actor: User | None,
    note_fingerprint: NoteFingerprint | None = None,
) -> Connector:
    """Return the connector with its new configuration and a higher revision; the same values again change nothing,
    nor are they a conflict.

    `note_fingerprint` sets the locked connector's authorization fingerprint and returns how many people must authorize
    again: accounts lie above this room, and `lifecycle.reconfiguration` hands it down.

    Raises `Invalid` with a fault per field, and `Conflict` naming who changed what when `expected_revision` has passed.
    A package with a program is asked first, outside any transaction: it may take seconds (§8).
    """
    now = Connector.objects.select_related("version").filter(pk=connector.pk).first()
    if now is not None and now.configuration_revision != expected_revision and _is_as_wanted(now, raw, cleared):
        return now  # sent twice: the first has done it
    _require_revision(now, expected_revision)  # before seconds go by
    identity = _ask_program(connector, raw, cleared)
    return _save(
        connector,
        raw,
        cleared,
        expected_revision=expected_revision,
        actor=actor,
        identity=identity,
        note_fingerprint=note_fingerprint,
    )


def _is_as_wanted(connector: Connector, raw: Mapping[str, str], cleared: Collection[str]) -> bool:
    """Return whether a configuration is already what was typed; of secrets that cannot be said."""
    try:
        change = _read_change(connector, raw, cleared)
    except Invalid:
        return False
    return change.values.public == connector.configuration and not change.values.secrets and not change.gone


def _ask_program(connector: Connector, raw: Mapping[str, str], cleared: Collection[str]) -> Any:
    """Return the authorization identity under the values as they would be; a change meanwhile is caught by revision."""
    if manifest_of(connector.version).program is None:
        return None
    change = _read_change(connector, raw, cleared)
    kept = {key: value for key, value in open_values(connector).items() if key not in change.gone}
    return ask_about_configuration(connector.version, change.values.public, {**kept, **change.values.secrets})


@transaction.atomic
def _save(
    connector: Connector,
    raw: Mapping[str, str],
    cleared: Collection[str],
    *,
    expected_revision: int,
    actor: User | None,
    identity: Any,
    note_fingerprint: NoteFingerprint | None,
) -> Connector:
    current = lock_connector(connector.pk)
    require_open(current)  # what waits for a drain was checked against the configuration of now
    _require_revision(current, expected_revision)
    if current.version_id != connector.version_id:  # its program was asked, and its form was filled in
        raise Conflict("installed_version_changed", key=current.key, installed=current.version.version)
    change = _read_change(current, raw, cleared)
    values, stored, gone = change.values, change.stored, change.gone
    if values.public == current.configuration and not values.secrets and not gone:
        return current
    before, after = _describe(current, values, stored, gone)
    seal_values(current, values.secrets, actor)
    forget_values(current, gone)
    current.configuration = values.public
    current.configuration_revision = after["revision"]
    fingerprint = compute_fingerprint(manifest_of(current.version), values.public, identity=identity)
    if note_fingerprint is not None:
        after |= {"reauthorize": note_fingerprint(current, fingerprint)}
    current.authorization_fingerprint = fingerprint
    current.save(update_fields=["configuration", "configuration_revision", "authorization_fingerprint"])
    bump_catalogue()
    record_connector_event("configuration_saved", current, actor, before=before, after=after)
    return current


def _require_revision(connector: Connector | None, expected: int) -> None:
    if connector is None:
        raise NotFound("connector_not_found")
    if connector.configuration_revision != expected:
        raise stale_configuration(connector)


@dataclass(frozen=True, slots=True)
class _Change:
    """What was sent, read against what is stored: the new values, the secrets there are, those that go."""

    values: ParsedValues
    stored: set[str]
    gone: set[str]


def _read_change(connector: Connector, raw: Mapping[str, str], cleared: Collection[str]) -> _Change:
    fields = manifest_of(connector.version).configuration.fields
    stored = set(connector.secrets.values_list("field", flat=True))
    values = parse_typed(fields, raw, stored=stored, cleared=set(cleared), before=connector.configuration)
    return _Change(values, stored, {key for key in cleared if key in stored and key not in values.secrets})


def parse_typed(
    fields: Collection[Field], raw: Mapping[str, str], *, stored: set[str], cleared: set[str], before: Mapping[str, Any]
) -> ParsedValues:
    """Return the values, or raise `Invalid` with every fault, ours beside those of the fields' own rules."""
    faults = [Fault("secret_not_clearable", one.key) for one in fields if one.key in cleared and not _clearable(one)]
    kept = stored - cleared
    try:
        values = parse_values(fields, raw, kept=stored)
    except Invalid as error:
        raise Invalid([*faults, *error.faults]) from None
    kept -= values.secrets.keys()
    if kept and _moves_elsewhere(fields, before, values.public):
        faults += [Fault("secret_needed_again", key) for key in sorted(kept)]
    if faults:
        raise Invalid(faults)
    return values


def _clearable(one: Field) -> bool:
    return one.is_secret and not one.required


def _moves_elsewhere(fields: Collection[Field], before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Return whether any address now leads to an origin it did not lead to before."""
    urls = [one.key for one in fields if one.type == "url" and after.get(one.key)]
    return any(origin_of(str(after[key])) != origin_of(str(before.get(key, ""))) for key in urls)


def _describe(
    connector: Connector, values: ParsedValues, stored: set[str], gone: set[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what changed, before and after; of a secret only that it was set, replaced or cleared."""
    public, revision = connector.configuration, connector.configuration_revision
    changed = {key for key in {*public, *values.public} if public.get(key) != values.public.get(key)}
    touched = {key: "replaced" if key in stored else "set" for key in values.secrets} | dict.fromkeys(gone, "cleared")
    before = {
        "revision": revision,
        "configuration": {key: public.get(key) for key in changed},
        "secrets": dict.fromkeys(stored & touched.keys(), "set"),
    }
    after = {
        "revision": revision + 1,
        "configuration": {key: values.public.get(key) for key in changed},
        "secrets": touched,
    }
    return before, after
