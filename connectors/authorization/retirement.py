"""Let go of a credential: at once, asking nobody; its revocation at the service is left behind as a job."""

import logging
from datetime import timedelta

from django.utils import timezone

from connectors.authorization.models import Connection, Credential, RevocationJob
from connectors.authorization.revocation_payload import find_revocation, write_revocation
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
    if revocation is None:
        return
    now = timezone.now()
    job = RevocationJob(
        connector_key=connection.connector.key,
        version=connection.connector.version,
        person_id=connection.person_id,
        account=connection.alias or connection.external_account_name,
        due_at=now,
        gives_up_at=now + GIVES_UP_AFTER,
    )
    job.sealed = seal(write_revocation(revocation), place=place_of(job))
    job.save()
