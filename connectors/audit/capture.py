"""Keeping for a few days what calls say and are answered, where an administrator asked for it; off by default.

Known secrets and what looks like one are masked, each side is cut after a bound, and both are sealed for their row.
Whoever looks leaves an event.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal
from uuid import UUID

from django.db import models, transaction
from django.db.models import F
from django.db.models.functions import Least
from django.utils import timezone
from uuid_utils.compat import uuid7

from connectors.audit.models import CallRecord, CapturedContent
from connectors.audit.recording import Actor, record_admin_event
from connectors.vault.fields import place_of
from connectors.vault.redaction import mask_secrets, redact_text
from connectors.vault.sealing import open_sealed, seal
from connectors.vault.secret import Secret

MAX_SIDE_BYTES: Final = 64 * 1024
_MARGIN: Final = 8 * 1024  # a secret that the cut would part is masked before it
_BATCH: Final = 500


@dataclass(frozen=True, slots=True)
class Content:
    """What was kept of a call, opened. `…_cut` says that there was more."""

    arguments: str
    arguments_cut: bool
    result: str
    result_cut: bool
    captured_at: datetime
    expires_at: datetime


def seal_content(
    *, call_id: UUID, connector_key: str, days: int, arguments: bytes, result: bytes, secrets: Iterable[Secret]
) -> CapturedContent:
    """Return an unsaved row with both sides masked, cut and sealed. Takes milliseconds: not for an event loop."""
    known = tuple(secrets)
    now = timezone.now()
    row = CapturedContent(
        id=uuid7(),
        call_id=call_id,
        connector_key=connector_key,
        captured_at=now,
        expires_at=now + timedelta(days=days),
        arguments_cut=len(arguments) > MAX_SIDE_BYTES,
        result_cut=len(result) > MAX_SIDE_BYTES,
    )
    row.arguments = seal(_mask(arguments, known), place=place_of(row, "arguments"))
    row.result = seal(_mask(result, known), place=place_of(row, "result"))
    return row


@transaction.atomic
def open_content(*, call: CallRecord, actor: Actor) -> Content | None:
    """Return what was kept of a call, and leave the event that says who looked; None when nothing is kept any more.

    Raises one of `vault.sealing.CannotOpen`'s errors when it is damaged; that is no view, so it leaves no event.
    """
    row = _living().filter(call_id=call.pk).first()
    if row is None:
        return None
    content = Content(
        arguments=open_sealed(row.arguments, place=place_of(row, "arguments")).reveal(),
        arguments_cut=row.arguments_cut,
        result=open_sealed(row.result, place=place_of(row, "result")).reveal(),
        result_cut=row.result_cut,
        captured_at=row.captured_at,
        expires_at=row.expires_at,
    )
    record_admin_event(
        actor=actor,
        act="content_viewed",
        target_kind="call",
        target_id=call.pk,
        target_name=f"{call.connector_key} · {call.tool}",
        after={"person": call.person_name, "started_at": call.started_at.isoformat()},
    )
    return content


def content_state(call: CallRecord) -> Literal["kept", "expired", "none"]:
    """Tell whether a call's content can be opened, without opening it."""
    if not call.captured:
        return "none"
    return "kept" if _living().filter(call_id=call.pk).exists() else "expired"


def shorten_captured(*, connector_key: str, days: int) -> None:
    """Let what is kept of a connector's calls go after this many days, if it would have stayed longer; 0: now."""
    kept = CapturedContent.objects.filter(connector_key=connector_key)
    if not days:
        kept.update(expires_at=Least("expires_at", timezone.now()))
    else:
        kept.update(expires_at=Least("expires_at", F("captured_at") + timedelta(days=days)))


def sweep_captured() -> int:
    """Delete what has expired, in batches, and return how many."""
    deleted = 0
    while True:
        expired = CapturedContent.objects.filter(expires_at__lte=timezone.now()).order_by("expires_at")
        batch = list(expired.values_list("pk", flat=True)[:_BATCH])
        if not batch:
            return deleted
        deleted += CapturedContent.objects.filter(pk__in=batch).delete()[0]


def _living() -> models.QuerySet[CapturedContent]:
    return CapturedContent.objects.filter(expires_at__gt=timezone.now())


def _mask(body: bytes, secrets: tuple[Secret, ...]) -> Secret:
    """Known secrets go first, in more than is kept: none may be parted by the cut and so escape."""
    text = mask_secrets(body[: MAX_SIDE_BYTES + _MARGIN].decode("utf-8", "ignore"), secrets)
    kept = text.encode("utf-8", "surrogatepass")[:MAX_SIDE_BYTES].decode("utf-8", "ignore")
    return Secret(redact_text(kept))
