"""Go on with a removal without the revocations it waits for: somebody does not want to wait four days for a service."""

from django.db import transaction
from django.utils import timezone

from connectors.access.models import User
from connectors.audit.recording import record_admin_event
from connectors.authorization.revocation import give_up
from connectors.errors import Conflict
from connectors.lifecycle.models import RemovalJob
from connectors.lifecycle.nudges import nudge_removals


@transaction.atomic
def abandon_revocations(*, removal: RemovalJob, actor: User | None) -> RemovalJob:
    """Give up the credentials that a removal could not revoke yet; Health lists them, for people to end that access.

    Raises `Conflict("removal_not_revoking")` for a removal that waits for none.
    """
    job = RemovalJob.objects.select_for_update().filter(pk=removal.pk, stage=RemovalJob.Stage.REVOKING).first()
    if job is None:
        raise Conflict("removal_not_revoking", key=removal.connector_key)
    count = give_up(job.connector_key)
    job.due_at = timezone.now()
    job.save(update_fields=["due_at"])
    record_admin_event(
        actor=actor,
        act="revocations_abandoned",
        target_kind="connector",
        target_id=str(job.connector_id),
        target_name=job.connector_key,
        after={"revocations": count},
    )
    nudge_removals()
    return job
