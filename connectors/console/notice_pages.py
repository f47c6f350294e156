"""What the notices' page shows: what needs somebody, the reader's own accounts, and how digests go out."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings

from connectors.access.models import User
from connectors.console.connection_pages import ConnectionLine, list_connections
from connectors.console.own import visible_ids
from connectors.console.permissions import MANAGE_CONNECTORS
from connectors.ledger.models import DigestDelivery, DigestWebhook, Notice, NoticeReader
from connectors.ledger.notice_words import TONES, NoticeText, describe_notice
from connectors.ledger.notices import open_notices
from connectors.ledger.webhook import find_webhook

DELIVERIES_SHOWN = 10
OF_CONNECTORS = (Notice.Kind.CONNECTOR_DEAD, Notice.Kind.CERTIFICATE_ENDING, Notice.Kind.REFRESH_FAILING)


@dataclass(frozen=True, slots=True)
class NoticeLine:
    """`path` is the page that helps, nothing where the reader may open none."""

    notice: Notice
    text: NoticeText
    path: str
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
        lines=_list_lines(person, reader.seen_at),
        accounts=[line for line in list_connections(person) if line.badge.mend],
        mail=bool(settings.MAIL_FROM and person.email),
        wants_mail=reader.wants_mail,
        manages=manages,
        webhook=webhook,
        deliveries=list(sent[:DELIVERIES_SHOWN]),
    )


def _list_lines(person: User, seen_at: datetime | None) -> list[NoticeLine]:
    """Return what concerns a person, the worst first, the latest of each first."""
    notices = list(open_notices(person))
    visible = frozenset() if person.has_perm(MANAGE_CONNECTORS) else visible_ids(person)
    lines = []
    for notice in notices:
        text = describe_notice(notice)
        path = text.path
        if notice.kind in OF_CONNECTORS and not person.has_perm(MANAGE_CONNECTORS):
            path = f"/catalogue/{notice.subject}/" if notice.connector_id in visible else ""
        lines.append(NoticeLine(notice, text, path, seen_at is None or notice.opened_at > seen_at))
    return sorted(lines, key=lambda line: TONES.index(line.text.tone))
