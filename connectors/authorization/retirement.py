"""Let go of a credential: at once, asking nobody; its revocation at the service is left behind as a job."""

import logging
from datetime import timedelta

from django.utils import timezone

from connectors.authorization.models import Connection, Credential, RevocationJob
from connectors.authorization.revocation_payload import Revocation, find_revocation, write_revocation
from connectors.catalogue.models import PackageVersion
from connectors.vault.errors import CannotOpen
from connectors.vault.fields import place_of
from connectors.vault.sealing import seal

log = logging.getLogger(__name__)
GIVES_UP_AFTER = timedelta(days=4)


def retire_credential(connection: Connection, *, revoke: bool) -> None:
    """Order the revocation of the connection's credential, in the transaction that lets go of it.

    Call it before the credential is deleted or replaced. Nothing is ordered where the service offers no revocation,
    or without `revoke`: a service that has invalidated it already is not asked (contract.md).
    """
    credential = Credential.objects.filter(connection=connection).first() if revoke else None
    if credential is None:
        return
    try:
        revocation = find_revocation(connection, credential)
    except CannotOpen as error:  # it cannot be told to anybody, and leaving must work all the same
        log.warning("the credential of %s does not open and is not revoked: %s", connection.pk, error.code)
        return
    if revocation is not None:
        account = connection.alias or connection.external_account_name
        order_revocation(revocation, connection.connector.version, person_id=connection.person_id, account=account)


def order_revocation(
    revocation: Revocation, version: PackageVersion, *, person_id: int | None = None, account: str = ""
) -> None:
    """Put a revocation on the list, in the caller's transaction.

    One that comes after its connector was removed, from a refresh nobody expected any more, can be made by nobody: it
    is listed as given up.
    """
    now = timezone.now()
    job = RevocationJob(
        connector_key=version.key,
        version=version,
        person_id=person_id,
        account=account,
        due_at=now,
        gives_up_at=now + GIVES_UP_AFTER,
    )
    if PackageVersion.objects.select_for_update(no_key=True).filter(pk=version.pk).exists():
        job.sealed = seal(write_revocation(revocation), place=place_of(job))
    else:
        job.version, job.due_at, job.gave_up_at, job.failure = None, None, now, "connector_removed"
    job.save()
