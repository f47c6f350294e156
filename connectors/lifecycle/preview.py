"""What an update or a roll back would do, before anybody commits it. Nothing of a package is run for it."""

from dataclasses import dataclass

from django.db.models import QuerySet

from connectors.access.models import User
from connectors.authorization.fingerprint_change import standing_connections
from connectors.catalogue.carrying_over import Outlook, foresee
from connectors.catalogue.difference import UpdateDifference
from connectors.catalogue.fingerprint import compute_fingerprint, fields_that_count
from connectors.catalogue.locking import require_open
from connectors.catalogue.models import Connector
from connectors.catalogue.versions import manifest_of
from connectors.errors import Conflict, Refused
from connectors.lifecycle.occupancy import Occupant, find_occupants
from connectors.lifecycle.version_change import Typed
from connectors.manifest.auth import ProgramAuth
from connectors.manifest.difference import Change
from connectors.manifest.schema import Manifest


@dataclass(frozen=True, slots=True)
class UpdatePreview:
    """What a change of version would do.

    `fields_needed` must be typed, `fields_kept` keep their values, `fields_empty` have none and need none.
    `fields_dropped` lose theirs, and no roll back brings them back: `secrets_dropped` of them would have to be typed
    again. `reauthorize` counts people whose accounts would have to be authorized again, as the commit decides under
    the same values; `reauthorize_certain` is false where only the package's program can tell, or a needed field decides
    it. `refusal` is why the act would be refused whatever is typed.
    """

    connector: Connector
    target_version: str
    difference: UpdateDifference
    fields_kept: tuple[str, ...]
    fields_dropped: tuple[str, ...]
    secrets_dropped: tuple[str, ...]
    fields_needed: tuple[str, ...]
    fields_empty: tuple[str, ...]
    reauthorize: int
    reauthorize_certain: bool
    raised: tuple[Change, ...]
    occupants: tuple[Occupant, ...]
    refusal: Conflict | None


def preview_change(
    connector: Connector,
    manifest: Manifest,
    difference: UpdateDifference,
    typed: Typed,
    *,
    version: str,
    refusal: Conflict | None,
) -> UpdatePreview:
    """Return the preview of going to this manifest with what is typed so far."""
    outlook = foresee(connector, manifest, typed.raw_configuration, typed.cleared)
    differs, certain = _foresee_fingerprint(connector, manifest, outlook)
    try:
        require_open(connector)
    except Conflict as conflict:
        refusal = conflict
    return UpdatePreview(
        connector=connector,
        target_version=version,
        difference=difference,
        fields_kept=outlook.kept,
        fields_dropped=outlook.dropped,
        secrets_dropped=outlook.dropped_secrets,
        fields_needed=outlook.needed,
        fields_empty=outlook.empty,
        reauthorize=people_to_reauthorize(connector).count() if differs else 0,
        reauthorize_certain=certain,
        raised=tuple(change for change in difference.changes if change.risk == "raised"),
        occupants=find_occupants(connector),
        refusal=refusal,
    )


def people_to_reauthorize(connector: Connector) -> QuerySet[User]:
    """Return the people whose accounts a changed fingerprint would send to authorize again, by name."""
    owners = standing_connections(connector).order_by().values("person_id")
    return User.objects.filter(pk__in=owners).order_by("username")


def _foresee_fingerprint(connector: Connector, manifest: Manifest, outlook: Outlook) -> tuple[bool, bool]:
    """Return whether the fingerprint would differ, and whether that is certain.

    What a program would say of its authorization identity is known only once it is asked, which the commit does; until
    then its answer is taken to stay the same.
    """
    if fields_that_count(manifest) & set(outlook.needed):
        return True, False
    asks_program = isinstance(manifest.auth, ProgramAuth)
    try:
        new = compute_fingerprint(manifest, outlook.public)
        old = connector.authorization_fingerprint
        if asks_program:
            old = compute_fingerprint(manifest_of(connector.version), connector.configuration)
    except Refused:  # an endpoint has no value
        return True, False
    return new != old, new != old or not asks_program
