"""The secret half of a connector's configuration: each value sealed in a row of its own (safety §31)."""

from collections.abc import Collection, Mapping

from connectors.access.models import User
from connectors.catalogue.models import ConfigurationSecret, Connector
from connectors.vault.fields import place_of
from connectors.vault.sealing import open_sealed, seal
from connectors.vault.secret import Secret


def seal_values(connector: Connector, secrets: Mapping[str, Secret], actor: User | None) -> None:
    """Set or replace these fields' secrets, in the caller's transaction."""
    known = {row.field: row for row in connector.secrets.filter(field__in=secrets.keys())}
    for field, secret in secrets.items():
        row = known.get(field) or ConfigurationSecret(connector=connector, field=field)
        row.sealed = seal(secret, place=place_of(row))
        row.set_by = actor
        row.save()


def open_values(connector: Connector) -> dict[str, Secret]:
    """Return every secret of the configuration; raise `vault.errors.CannotOpen` when one does not open."""
    return {row.field: open_sealed(row.sealed, place=place_of(row)) for row in connector.secrets.all()}


def forget_values(connector: Connector, fields: Collection[str]) -> None:
    """Delete these fields' secrets, in the caller's transaction."""
    connector.secrets.filter(field__in=fields).delete()
