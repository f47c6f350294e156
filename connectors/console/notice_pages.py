"""What the notices' page shows: what needs somebody, the reader's own accounts, and how digests go out."""

from dataclasses import dataclass

from django.conf import settings

from connectors.access.models import User
from connectors.console.connection_pages import ConnectionLine, list_connections
from connectors.console.permissions import MANAGE_CONNECTORS
from connectors.ledger.models import DigestDelivery, DigestWebhook, Notice, NoticeReader
from connectors.ledger.notice_words import NoticeText, describe_notice
from connectors.ledger.notices import open_notices
from connectors.ledger.webhook import find_webhook

DELIVERIES_SHOWN = 10


@dataclass(frozen=True, slots=True)
class NoticeLine:
    notice: Notice
    text: NoticeText
    is_new: bool


@dataclass(frozen=True, slots=True)
class NoticePage:
    """`mail` is whether letters can be sent to the reader at all, `manages` whether the webhook is theirs to set."""

    lines: list[NoticeLine]
    accounts: list[ConnectionLine]
    mail: bool
    wants_mail: bool
    manages: bool
    webhook: DigestWebhook | None
    deliveries: list[DigestDelivery]


def read_notices(person: User) -> NoticePage:
    reader = NoticeReader.objects.filter(person=person).first() or NoticeReader(person=person)
    manages = person.has_perm(MANAGE_CONNECTORS)
    webhook = find_webhook() if manages else None
    sent = DigestDelivery.objects.filter(webhook=webhook) if webhook else DigestDelivery.objects.none()
    return NoticePage(
        lines=[
            NoticeLine(notice, describe_notice(notice), reader.seen_at is None or notice.opened_at > reader.seen_at)
            for notice in open_notices(person)
        ],
        accounts=[line for line in list_connections(person) if line.badge.mend],
        mail=bool(settings.MAIL_FROM and person.email),
        wants_mail=reader.wants_mail,
        manages=manages,
        webhook=webhook,
        deliveries=list(sent[:DELIVERIES_SHOWN]),
    )
