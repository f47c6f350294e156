"""An authorization that is typed rather than come back from: while it is verified it occupies its connector (§9).

Its row is there from before anything is asked until the account is saved or refused; one whose process died is ended
by the sweep of attempts.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction
from django.utils import timezone

from connectors.access.models import User
from connectors.authorization.models import AuthorizationSession, Connection
from connectors.authorization.sessions import LIFETIME, digest_of, new_state
from connectors.catalogue.locking import require_open, share_connector
from connectors.catalogue.models import Connector
from connectors.errors import Conflict
from connectors.runtime.program_context import Intent

Status = AuthorizationSession.Status


@contextmanager
def processing(
    offered: Connector, person: User, intent: Intent, *, alias: str = "", connection: Connection | None = None
) -> Iterator[None]:
    """Keep the connector as it is meanwhile; raise Conflict when it drains, is being removed, or has just changed."""
    now = timezone.now()
    with transaction.atomic():
        connector = share_connector(offered.pk)
        require_open(connector)
        if (connector.version_id, connector.configuration_revision) != (
            offered.version_id,
            offered.configuration_revision,
        ):
            raise Conflict("connector_changed", key=connector.key)
        attempt = AuthorizationSession.objects.create(
            state_digest=digest_of(new_state().reveal()),  # that nobody will come back with
            browser_digest="",
            person=person,
            connector=connector,
            configuration_revision=connector.configuration_revision,
            authorization_fingerprint=connector.authorization_fingerprint,
            version_id=connector.version_id,
            intent=intent,
            alias=alias,
            connection=connection,
            status=Status.EXCHANGING,
            expires_at=now + LIFETIME,
            used_at=now,
        )
    try:
        yield
    finally:
        AuthorizationSession.objects.filter(pk=attempt.pk).delete()
