"""The daily digest of notices: by e-mail to people who want it, to a webhook where one is set; one a day at most.

A delivery is a row with a due time, made when something was opened that its recipient has not been told of; it is tried
again with a growing delay and given up after two days. What is mended meanwhile is not told.
"""

import logging
import time
from datetime import datetime, timedelta
from smtplib import SMTPException
from typing import Any, Final
from uuid import UUID

import orjson
from asgiref.sync import async_to_sync
from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone, translation

from connectors.access.models import User
from connectors.audit.growing_wait import growing_wait
from connectors.authorization.letters import write_letter
from connectors.egress.client import Answer, Timeouts, get_client
from connectors.errors import ConnectorError, UpstreamFault
from connectors.ledger.models import DigestDelivery, DigestWebhook, Notice, NoticeReader
from connectors.ledger.notice_words import describe_notice
from connectors.ledger.notices import open_notices
from connectors.ledger.webhook import find_webhook, open_secret, sign_message

log = logging.getLogger(__name__)
FIRST_WAIT: Final = timedelta(minutes=1)
LONGEST_WAIT: Final = timedelta(hours=6)
MOST_ATTEMPTS: Final = 15  # about two days
KEPT: Final = timedelta(days=90)
BATCH: Final = 50
TIMEOUTS: Final = Timeouts(total=20.0)
ANSWER_BYTES: Final = 64 * 1024


def queue_digests() -> int:
    """Make a delivery for every recipient for whom there is something new; return how many were made."""
    now = timezone.now()
    DigestDelivery.objects.filter(day__lt=(now - KEPT).date()).delete()
    made = 0
    webhook = find_webhook()
    everything = Notice.objects.filter(closed_at=None).exclude(kind=Notice.Kind.NARROWING_ASKED)
    if webhook is not None:
        made += _queue(list(everything.values_list("pk", flat=True)), now, webhook=webhook)
    if settings.MAIL_FROM:
        readers = NoticeReader.objects.filter(wants_mail=True, person__is_active=True).exclude(person__email="")
        for reader in readers.select_related("person"):
            ids = list(open_notices(reader.person).values_list("pk", flat=True))
            made += _queue(ids, now, person=reader.person)
    return made


def deliver_due() -> int:
    """Try every delivery whose time has come, and return how many arrived."""
    due = DigestDelivery.objects.filter(due_at__lte=timezone.now()).order_by("due_at").values_list("pk", flat=True)
    return sum(_deliver(pk) for pk in list(due[:BATCH]))


def next_try(attempts: int, now: datetime) -> datetime | None:
    """Return when to try again after so many attempts; None when it is enough."""
    if attempts >= MOST_ATTEMPTS:
        return None
    return now + growing_wait(attempts, first=FIRST_WAIT, longest=LONGEST_WAIT)


def _queue(
    notice_ids: list[UUID], now: datetime, *, webhook: DigestWebhook | None = None, person: User | None = None
) -> int:
    reached = Q(delivered_at__isnull=False) | Q(due_at__isnull=False)  # or still may; what was given up told nobody
    earlier = DigestDelivery.objects.filter(reached, webhook=webhook, person=person)
    told = {str(pk) for ids in earlier.values_list("notices", flat=True) for pk in ids}
    if not any(str(pk) not in told for pk in notice_ids):
        return 0
    try:
        with transaction.atomic():
            _, made = DigestDelivery.objects.get_or_create(
                webhook=webhook,
                person=person,
                day=timezone.localdate(now),
                defaults={"notices": [str(pk) for pk in notice_ids], "due_at": now},
            )
    except IntegrityError:  # another worker has just made it
        return 0
    return int(made)


def _deliver(delivery_id: UUID) -> bool:
    delivery = _claim(delivery_id)
    if delivery is None:
        return False
    notices = list(
        Notice.objects.filter(pk__in=delivery.notices, closed_at=None)
        .select_related("connector__version")
        .order_by("-opened_at")
    )
    failure = ""
    try:
        if notices:
            _send(delivery, notices)
    except (ConnectorError, OSError, SMTPException) as error:
        failure = error.code if isinstance(error, ConnectorError) else type(error).__name__
        log.warning("a digest was not delivered: %s", failure)
    _note(delivery, failure)
    return not failure


@transaction.atomic
def _claim(delivery_id: UUID) -> DigestDelivery | None:
    """Move the due time on before anything is sent, so that no other worker sends it too."""
    now = timezone.now()
    rows = DigestDelivery.objects.select_for_update(of=("self",)).select_related("webhook", "person")
    delivery = rows.filter(pk=delivery_id, due_at__lte=now).first()
    if delivery is None:
        return None
    delivery.attempts += 1
    delivery.due_at = next_try(delivery.attempts, now)
    delivery.save(update_fields=["attempts", "due_at"])
    return delivery


def _note(delivery: DigestDelivery, failure: str) -> None:
    if failure:
        DigestDelivery.objects.filter(pk=delivery.pk).update(failure=failure[:64])
        return
    DigestDelivery.objects.filter(pk=delivery.pk).update(failure="", due_at=None, delivered_at=timezone.now())


def _send(delivery: DigestDelivery, notices: list[Notice]) -> None:
    if delivery.person is not None:
        _mail(delivery.person, notices)
    elif delivery.webhook is not None:
        _post(delivery, delivery.webhook, notices)


def _mail(person: User, notices: list[Notice]) -> None:
    with translation.override(person.language or settings.LANGUAGE_CODE):
        texts = [describe_notice(notice) for notice in notices]
        lines = [f"{text.title}. {text.sentence}" for text in texts]
        letter = write_letter(
            person,
            subject=translation.gettext("What needs you at Poco Connectors"),
            opening=translation.gettext("This needs somebody:"),
            lines=lines,
            path="/notices/",
        )
    letter.send()


def _post(delivery: DigestDelivery, webhook: DigestWebhook, notices: list[Notice]) -> None:
    with translation.override(settings.LANGUAGE_CODE):
        body = orjson.dumps(describe_digest(notices, at=timezone.now()))
    message_id, timestamp = f"msg_{delivery.pk.hex}", int(time.time())
    signature = sign_message(open_secret(webhook), message_id=message_id, timestamp=timestamp, body=body)
    headers = {
        "Content-Type": "application/json",
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": signature,
    }
    answer = async_to_sync(_request)(webhook.url, headers, body)
    if not 200 <= answer.status < 300:  # noqa: PLR2004 - what counts as taken (RFC 9110 §15.3)
        raise UpstreamFault("http_status", status=answer.status)


async def _request(url: str, headers: dict[str, str], body: bytes) -> Answer:
    return await get_client().request("POST", url, headers=headers, body=body, timeout=TIMEOUTS, max_bytes=ANSWER_BYTES)


def describe_digest(notices: list[Notice], *, at: datetime) -> dict[str, Any]:
    """Return the message as receivers get it; `docs/operating.md` tells its shape."""
    texts = [(notice, describe_notice(notice)) for notice in notices]
    told = [
        {
            "id": str(notice.pk),
            "kind": notice.kind,
            "subject": notice.subject,
            "opened_at": notice.opened_at.isoformat(),
            "title": text.title,
            "text": text.sentence,
            "url": f"{settings.BACKEND_URL}{text.path}",
        }
        for notice, text in texts
    ]
    data = {"console": settings.BACKEND_URL, "notices": told}
    return {"type": "notices.digest", "timestamp": at.isoformat(), "data": data}
