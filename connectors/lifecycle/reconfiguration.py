"""Change a connector's configuration together with what that means for the accounts at it (contract.md, §9)."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import partial

from connectors.access.models import User
from connectors.authorization.fingerprint_change import note_fingerprint
from connectors.catalogue.configuration import save_configuration
from connectors.catalogue.fingerprint import fields_that_count
from connectors.catalogue.models import Connector
from connectors.catalogue.versions import manifest_of
from connectors.lifecycle.preview import people_to_reauthorize
from connectors.lifecycle.version_change import check_promise
from connectors.manifest.auth import ProgramAuth


@dataclass(frozen=True, slots=True)
class Stake:
    """Whom a change may send to authorize again: how many people, and by changing which fields.

    `decided_by_program` says that the package's program tells, of any field, whether it is another authorization.
    """

    people: int
    fields: frozenset[str]
    decided_by_program: bool


@dataclass(frozen=True, slots=True)
class Reconfigured:
    """`changed` is false where the same values were saved again; `people` must authorize again."""

    connector: Connector
    changed: bool
    people: int


def preview_stake(connector: Connector) -> Stake | None:
    """Return what is at stake, or None where nobody's account depends on the configuration."""
    manifest = manifest_of(connector.version)
    fields, asks = fields_that_count(manifest), isinstance(manifest.auth, ProgramAuth)
    people = people_to_reauthorize(connector).count() if fields or asks else 0
    return Stake(people, fields, asks) if people else None


def reconfigure_connector(
    *,
    connector: Connector,
    raw: Mapping[str, str],
    cleared: Collection[str] = (),
    expected_revision: int,
    expected_reauthorize: int | None = None,
    actor: User | None,
) -> Reconfigured:
    """Save a configuration; the accounts it no longer fits must be authorized again, and their grant revision rises.

    Raises what `save_configuration` raises, and `Conflict("reauthorization_differs")` when those are more people than
    `expected_reauthorize`; then nothing has changed.
    """
    counted: list[int] = []
    saved = save_configuration(
        connector=connector,
        raw=raw,
        cleared=cleared,
        expected_revision=expected_revision,
        actor=actor,
        note_fingerprint=partial(_note, expected_reauthorize, counted),
    )
    changed = saved.configuration_revision != expected_revision
    return Reconfigured(saved, changed=changed, people=sum(counted))


def _note(expected: int | None, counted: list[int], connector: Connector, fingerprint: str) -> int:
    people = note_fingerprint(connector, fingerprint)
    check_promise(expected, people)
    counted.append(people)
    return people
