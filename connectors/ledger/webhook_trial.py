"""Send the webhook a message that tells nothing, at once and once, and say what came back."""

import time
from dataclasses import dataclass
from uuid import uuid4

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from connectors.access.models import User
from connectors.audit.recording import record_admin_event
from connectors.errors import ConnectorError, NotFound
from connectors.ledger.models import DigestWebhook
from connectors.ledger.posting import is_taken, post_message
from connectors.ledger.webhook import find_webhook, origin_of


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of a test: the receiver's status, or without one the code and the stage of the failure."""

    milliseconds: int
    status: int | None = None
    code: str = ""
    stage: str = ""

    @property
    def taken(self) -> bool:
        return self.status is not None and is_taken(self.status)


def try_webhook(*, actor: User) -> Trial:
    """Post a signed `notices.test` to the webhook, once; NotFound("webhook_not_found") where none is set."""
    webhook = find_webhook()
    if webhook is None:
        raise NotFound("webhook_not_found")
    trial = _post(webhook)
    with transaction.atomic():  # only now: the chain of events is not held while a receiver takes its time
        record_admin_event(
            actor=actor,
            act="digest_webhook_tried",
            target_kind="digest_webhook",
            target_id=webhook.pk,
            target_name=origin_of(webhook.url)[:255],
            after={"status": trial.status} if trial.status else {"code": trial.code},
        )
    return trial


def _post(webhook: DigestWebhook) -> Trial:
    data = {"console": settings.BACKEND_URL, "notices": []}
    message = {"type": "notices.test", "timestamp": timezone.now().isoformat(), "data": data}
    started = time.perf_counter()
    try:
        answer = post_message(webhook, message, message_id=f"msg_{uuid4().hex}")
    except ConnectorError as error:
        return Trial(_since(started), code=error.code, stage=str(error.parameters.get("stage", "")))
    return Trial(_since(started), status=answer.status)


def _since(started: float) -> int:
    return round(1000 * (time.perf_counter() - started))
