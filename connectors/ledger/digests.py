"""The daily digest of notices: by e-mail to people who want it, to a webhook where one is set; one a day at most.

A delivery is a row with a due time, made when something was opened that its recipient has not been told of; it is tried
again with a growing delay and given up after two days. What is mended meanwhile is not told. A person's day is that of
their zone, and no letter is written before its morning; what it tells is looked up as it is written, so that it says
nothing to somebody whom it no longer concerns.
"""

import logging
from datetime import date, datetime, timedelta
from datetime import time as clock_time
from smtplib import SMTPException
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone, translation

from connectors.access.models import User
from connectors.access.reading import as_read_by, zone_of
from connectors.audit.growing_wait import growing_wait
from connectors.authorization.letters import write_letter
from connectors.errors import ConnectorError, UpstreamFault
from connectors.ledger.models import DigestDelivery, DigestWebhook, Notice, NoticeReader
from connectors.ledger.notice_words import TONES, describe_notice
from connectors.ledger.notices import open_notices
from connectors.ledger.posting import is_taken, post_message
from connectors.ledger.webhook import find_webhook

log = logging.getLogger(__name__)
MORNING: Final = clock_time(8)  # by the reader's clock; after that a letter goes out as soon as there is news
FIRST_WAIT: Final = timedelta(minutes=1)
LONGEST_WAIT: Final = timedelta(hours=6)
MOST_ATTEMPTS: Final = 15  # about two days
KEPT: Final = timedelta(days=90)
BATCH: Final = 50


def queue_digests() -> int:
    """Make a delivery for every recipient for whom there is something new; return how many were made."""
    now = timezone.now()
    DigestDelivery.objects.filter(day__lt=(now - KEPT).date()).delete()
    made = 0
    webhook = find_webhook()
    everything = Notice.objects.filter(closed_at=None).exclude(kind=Notice.Kind.NARROWING_ASKED)
    if webhook is not None:
        made += _queue(list(everything.values_list("pk", flat=True)), timezone.localdate(now), now, webhook=webhook)
    if settings.MAIL_FROM:
        readers = NoticeReader.objects.filter(wants_mail=True, person__is_active=True).exclude(person__email="")
        for reader in readers.select_related("person"):
            ids = list(open_notices(reader.person).values_list("pk", flat=True))
            morning = morning_of(reader.person, now)
            made += _queue(ids, morning.date(), max(now, morning), person=reader.person)
    return made


def deliver_due() -> int:
    """Try every delivery whose time has come, and return how many arrived."""
    due = DigestDelivery.objects.filter(due_at__lte=timezone.now()).order_by("due_at").values_list("pk", flat=True)
    return sum(_deliver(pk) for pk in list(due[:BATCH]))


def morning_of(person: User, now: datetime) -> datetime:
    """Return when the person's present day begins to be one for letters, in their zone."""
    zone = zone_of(person)
    return datetime.combine(now.astimezone(zone).date(), MORNING, zone)


def next_try(attempts: int, now: datetime) -> datetime | None:
    """Return when to try again after so many attempts; None when it is enough."""
    if attempts >= MOST_ATTEMPTS:
        return None
    return now + growing_wait(attempts, first=FIRST_WAIT, longest=LONGEST_WAIT)


def _queue(
    notice_ids: list[UUID],
    day: date,
    due_at: datetime,
    *,
    webhook: DigestWebhook | None = None,
    person: User | None = None,
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
                day=day,
                defaults={"notices": [str(pk) for pk in notice_ids], "due_at": due_at},
            )
    except IntegrityError:  # another worker has just made it
        return 0
    return int(made)


def _deliver(delivery_id: UUID) -> bool:
    delivery = _claim(delivery_id)
    if delivery is None:
        return False
    notices = _list_told(delivery)
    failure = ""
    try:
        if notices:
            _send(delivery, notices)
    except (ConnectorError, OSError, SMTPException) as error:
        failure = _name_failure(error)
        log.warning("a digest was not delivered: %s", failure)
    _note(delivery, failure)
    return not failure


def _name_failure(error: Exception) -> str:
    """Return what the page and the log tell of it: a code, and the receiver's status or the stage where it has one."""
    if not isinstance(error, ConnectorError):
        return type(error).__name__
    more = error.parameters.get("status") or error.parameters.get("stage")
    return f"{error.code} {more}" if more else error.code


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


def _list_told(delivery: DigestDelivery) -> list[Notice]:
    """Return what a delivery tells now: to a person everything that is open and concerns them still, if they still
    want it; to a webhook what it was made for, so that a try under the same id says no more than the one before."""
    if delivery.person is not None:
        notices = list(open_notices(delivery.person)) if _wants_mail(delivery.person) else []
        DigestDelivery.objects.filter(pk=delivery.pk).update(notices=[str(notice.pk) for notice in notices])
        return notices
    open_ones = Notice.objects.filter(pk__in=delivery.notices, closed_at=None)
    return list(open_ones.select_related("connector__version").order_by("-opened_at"))


def _wants_mail(person: User) -> bool:
    if not (settings.MAIL_FROM and person.is_active and person.email):
        return False
    return NoticeReader.objects.filter(person=person, wants_mail=True).exists()


def _send(delivery: DigestDelivery, notices: list[Notice]) -> None:
    if delivery.person is not None:
        _mail(delivery.person, notices)
    elif delivery.webhook is not None:
        _post(delivery, delivery.webhook, notices)


def _mail(person: User, notices: list[Notice]) -> None:
    with as_read_by(person):
        texts = sorted((describe_notice(notice) for notice in notices), key=lambda text: TONES.index(text.tone))
        lines = [f"{text.title}\n  {text.sentence}" for text in texts]
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
        message = describe_digest(notices, at=timezone.now())
    answer = post_message(webhook, message, message_id=f"msg_{delivery.pk.hex}")
    if not is_taken(answer.status):
        raise UpstreamFault("http_status", status=answer.status)


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
