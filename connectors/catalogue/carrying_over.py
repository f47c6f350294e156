"""Carry a connector's configuration over to another version of its package (handbook §3).

What both versions declare is kept, what the new one does not is cleared, what it newly requires is asked for. A stored
secret never becomes a public value, and stays only for the servers it was given for (`configuration`).
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from connectors.access.models import User
from connectors.catalogue.configuration import parse_typed
from connectors.catalogue.models import Connector
from connectors.catalogue.sealed_configuration import forget_values, open_values, seal_values
from connectors.errors import Invalid
from connectors.manifest.fields import Field
from connectors.manifest.schema import Manifest
from connectors.manifest.values import Value, as_typed, parse_values
from connectors.vault.secret import Secret


@dataclass(frozen=True, slots=True)
class CarriedOver:
    """A configuration as it will be: public values, newly typed secrets, kept ones by field, and those that go."""

    public: dict[str, Value]
    typed: dict[str, Secret]
    kept: frozenset[str]
    gone: frozenset[str]

    def changes(self, connector: Connector) -> bool:
        return bool(self.public != connector.configuration or self.typed or self.gone)


@dataclass(frozen=True, slots=True)
class Outlook:
    """What carrying over would keep, clear and ask for, by field key; `public` are the values there would be so far.

    `empty` fields would have no value and need none; `dropped_secrets` are those of the dropped nobody can read again.
    """

    kept: tuple[str, ...]
    dropped: tuple[str, ...]
    dropped_secrets: tuple[str, ...]
    needed: tuple[str, ...]
    empty: tuple[str, ...]
    public: dict[str, Value]


def carry_over(
    connector: Connector, manifest: Manifest, raw: Mapping[str, str], cleared: Collection[str] = ()
) -> CarriedOver:
    """Return the configuration under another manifest; raise `Invalid` with a fault per field.

    A field that `raw` does not mention keeps its value, where it has one that still fits; a blank secret is kept.
    """
    fields = manifest.configuration.fields
    stored = set(connector.secrets.values_list("field", flat=True))
    kept = stored & {one.key for one in fields if one.is_secret}
    typed = {**_as_typed(connector.configuration, fields), **raw}
    values = parse_typed(fields, typed, stored=kept, cleared=set(cleared) & kept, before=connector.configuration)
    gone = (stored - kept) | {key for key in cleared if key in kept and key not in values.secrets}
    return CarriedOver(values.public, values.secrets, frozenset(kept - gone - values.secrets.keys()), frozenset(gone))


def foresee(connector: Connector, manifest: Manifest, raw: Mapping[str, str], cleared: Collection[str] = ()) -> Outlook:
    """Return what `carry_over` would keep, clear and ask for."""
    fields = manifest.configuration.fields
    declared = [one.key for one in fields]
    secrets = set(connector.secrets.values_list("field", flat=True))
    had = {*connector.configuration, *secrets}
    sealed = (secrets & set(declared)) - set(cleared) | {
        one.key for one in fields if one.is_secret and raw.get(one.key)
    }
    try:
        public, needed = carry_over(connector, manifest, raw, cleared).public, set[str]()
    except Invalid as error:
        needed = {fault.where for fault in error.faults}
        typed = {**_as_typed(connector.configuration, fields), **raw}
        sound = [one for one in fields if one.key not in needed and not one.is_secret]
        public = parse_values(sound, {one.key: typed[one.key] for one in sound if one.key in typed}).public
    return Outlook(
        kept=tuple(key for key in declared if key in had and key not in needed),
        dropped=tuple(sorted(had - set(declared))),
        dropped_secrets=tuple(sorted(secrets - set(declared))),
        needed=tuple(key for key in declared if key in needed),
        empty=tuple(key for key in declared if key not in needed | sealed | public.keys()),
        public=public,
    )


def open_carried(connector: Connector, carried: CarriedOver) -> dict[str, Secret]:
    """Return all secrets as they will be; raise `vault.errors.CannotOpen` when a kept one is damaged."""
    opened = open_values(connector)
    return {**{key: opened[key] for key in carried.kept}, **carried.typed}


def store_carried(connector: Connector, carried: CarriedOver, actor: User | None) -> dict[str, Any]:
    """Set the connector's new configuration, in the caller's transaction; return what changed, for its event.

    The caller saves `configuration` and `configuration_revision`.
    """
    if not transaction.get_connection().in_atomic_block:
        raise RuntimeError("A configuration changes with the version it belongs to.")
    if not carried.changes(connector):
        return {}
    described = _describe(connector, carried)
    seal_values(connector, carried.typed, actor)
    forget_values(connector, carried.gone)
    connector.configuration = carried.public
    connector.configuration_revision += 1
    return described


def _as_typed(public: Mapping[str, Any], fields: Collection[Field]) -> dict[str, str]:
    """What a form would send for the values there are. One that has become a secret is carried over as one."""
    known = {one.key for one in fields}
    return {key: as_typed(value) for key, value in public.items() if key in known}


def _describe(connector: Connector, carried: CarriedOver) -> dict[str, Any]:
    """Return {"before": …, "after": …} as `configuration_saved` tells it; of a secret only what became of it.

    A public value that has become a secret is told as one: what it was is nobody's to read any more.
    """
    public, after = connector.configuration, carried.public
    changed = {key for key in {*public, *after} if public.get(key) != after.get(key)} - carried.typed.keys()
    stored = set(connector.secrets.values_list("field", flat=True))
    acts = {key: "replaced" if key in stored else "set" for key in carried.typed}
    acts |= dict.fromkeys(carried.gone, "cleared")
    revision = connector.configuration_revision
    return {
        "before": {
            "revision": revision,
            "configuration": {key: public.get(key) for key in sorted(changed)},
            "secrets": dict.fromkeys(sorted(stored & acts.keys()), "set"),
        },
        "after": {
            "revision": revision + 1,
            "configuration": {key: after.get(key) for key in sorted(changed)},
            "secrets": {key: acts[key] for key in sorted(acts)},
        },
    }
