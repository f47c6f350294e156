"""Revoke credentials at their service after they have left this house (RFC 7009; `credential_revoke`, handbook §8).

What is to be revoked is a job in the database (`retirement`), tried again with a growing delay; revoking twice does no
harm. After four days it gives up, forgets the credential, and Health says so.
"""

import asyncio
import logging
from datetime import datetime, timedelta
from uuid import UUID

from asgiref.sync import async_to_sync
from django.db import transaction
from django.utils import timezone

from connectors.audit.database_lanes import in_database
from connectors.audit.growing_wait import growing_wait
from connectors.authorization.models import RevocationJob
from connectors.authorization.refresh import failure_of
from connectors.authorization.revocation_payload import OAuthRevocation, Revocation, read_revocation
from connectors.authorization.token_endpoint import revoke_token
from connectors.catalogue.models import PackageVersion
from connectors.catalogue.program import open_program
from connectors.errors import ConnectorError
from connectors.runtime.deadline import Deadline
from connectors.runtime.operations import CREDENTIAL_REVOKE
from connectors.runtime.program import invoke_program
from connectors.runtime.program_context import CredentialRevoke
from connectors.runtime.program_errors import ProgramRefused
from connectors.vault.fields import place_of
from connectors.vault.sealing import open_sealed

log = logging.getLogger(__name__)
SHOWN_FOR = timedelta(days=30)
FIRST_WAIT = timedelta(minutes=1)
LONGEST_WAIT = timedelta(hours=6)
REQUEST_SECONDS = 30.0
PROGRAM_SECONDS = 75.0
BATCH = 100
AT_ONCE = 8


def revoke_due() -> int:
    """Try every revocation whose time has come, and return how many are done; forget what gave up long ago."""
    now = timezone.now()
    RevocationJob.objects.filter(gave_up_at__lt=now - SHOWN_FOR).delete()
    due = RevocationJob.objects.filter(due_at__lte=now).order_by("due_at").values_list("pk", flat=True)
    return async_to_sync(_revoke_all)(list(due[:BATCH]))


async def _revoke_all(due: list[UUID]) -> int:
    gate = asyncio.Semaphore(AT_ONCE)

    async def revoke(job_id: UUID) -> bool:
        async with gate:
            return await _revoke_one(job_id)

    return sum(await asyncio.gather(*(revoke(job_id) for job_id in due)))


async def _revoke_one(job_id: UUID) -> bool:
    try:
        claimed = await in_database(_claim, job_id)
        if claimed is None:
            return False
        await _ask(*claimed)
    except ConnectorError as error:
        if not _is_gone(error):
            await in_database(_note_failure, job_id, failure_of(error))
            return False
    await in_database(_end, job_id)
    return True


@transaction.atomic
def _claim(job_id: UUID) -> tuple[PackageVersion, Revocation] | None:
    """Move the job's due time on before anything is sent, so that no other worker sends it too."""
    now = timezone.now()
    rows = RevocationJob.objects.select_for_update(of=("self",)).select_related("version")
    job = rows.filter(pk=job_id, due_at__lte=now).first()
    if job is None or job.version is None or job.sealed is None:
        return None
    job.attempts += 1
    job.due_at = next_try(job.attempts, now)
    job.save(update_fields=["attempts", "due_at"])
    return job.version, read_revocation(open_sealed(job.sealed, place=place_of(job)))


def give_up(connector_key: str) -> int:
    """Give up what is still to be revoked at a connector, in the caller's transaction; return how many there were."""
    left = RevocationJob.objects.filter(version__key=connector_key, gave_up_at=None)
    return left.update(gave_up_at=timezone.now(), due_at=None, sealed=None, version=None, failure="abandoned")


def next_try(attempts: int, now: datetime) -> datetime:
    """Return when to try again: a minute later, then twice as long each time, six hours at most."""
    return now + growing_wait(attempts, first=FIRST_WAIT, longest=LONGEST_WAIT)


def _end(job_id: UUID) -> None:
    RevocationJob.objects.filter(pk=job_id).delete()


@transaction.atomic
def _note_failure(job_id: UUID, failure: str) -> None:
    job = RevocationJob.objects.select_for_update().filter(pk=job_id).first()
    if job is None:
        return
    now = timezone.now()
    job.failure = failure[:64]
    if now >= job.gives_up_at:
        job.gave_up_at, job.due_at, job.sealed, job.version = now, None, None, None
        log.warning("a credential of %s was not revoked in time: %s", job.connector_key, failure)
    elif job.due_at is not None and job.due_at <= now:  # it could not even be opened
        job.attempts += 1
        job.due_at = next_try(job.attempts, now)
    job.save()


def _is_gone(error: ConnectorError) -> bool:
    """A program that may not revoke because the credential is refused has nothing left to revoke."""
    return isinstance(error, ProgramRefused) and error.code == "authorization_required"


async def _ask(version: PackageVersion, revocation: Revocation) -> None:
    if isinstance(revocation, OAuthRevocation):
        deadline = Deadline.after(REQUEST_SECONDS)
        for hint, token in revocation.tokens.items():
            await revoke_token(revocation.grant, revocation.client_secret, token, hint=hint, deadline=deadline)
        return
    await _ask_program(version, revocation.context)


async def _ask_program(version: PackageVersion, context: CredentialRevoke) -> None:
    program = await in_database(open_program, version)
    await invoke_program(program, CREDENTIAL_REVOKE, context, deadline=Deadline.after(PROGRAM_SECONDS))
