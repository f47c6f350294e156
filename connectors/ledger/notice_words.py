"""Notices in words, for pages, e-mails and webhooks: what is wrong, what to do, and where."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from connectors.access.reading import tell_moment
from connectors.catalogue.models import Connector
from connectors.catalogue.versions import manifest_of
from connectors.ledger.models import Notice
from connectors.manifest.texts import text_for

TONES: Final = ("bad", "warn", "calm")  # the worst first


@dataclass(frozen=True, slots=True)
class NoticeText:
    """`path` is the page that helps; `tone` how bad it is: bad, warn or calm."""

    title: str
    sentence: str
    path: str
    tone: str = "warn"


def describe_notice(notice: Notice) -> NoticeText:
    """Return a notice in the active language; its connector comes with its version."""
    name = _name(notice.connector) if notice.connector is not None else notice.subject
    return _WORDS[Notice.Kind(notice.kind)](notice.parameters, name, notice.subject)


def _name(connector: Connector) -> str:
    manifest = manifest_of(connector.version)
    language = translation.get_language() or "en"
    key, default_locale = manifest.presentation.name_key, manifest.default_locale
    return text_for(connector.version.texts, key, language=language, default_locale=default_locale)


def _dead(told: dict[str, Any], name: str, key: str) -> NoticeText:
    since = _date(told.get("since"))
    return NoticeText(
        _("%(name)s is dead") % {"name": name},
        _("Its endpoint has not answered once since %(since)s (%(code)s). Agents' calls to it fail.")
        % {"since": since, "code": told.get("code") or told.get("stage", "")},
        f"/connectors/{key}/ledger/",
        "bad",
    )


def _certificate(told: dict[str, Any], name: str, key: str) -> NoticeText:
    ends, path = _read_date(told.get("at")), f"/connectors/{key}/ledger/"
    if ends is not None and ends <= timezone.now():
        sentence = _("It ended on %(at)s, so nothing connects until whoever runs the server renews it.")
        title = _("%(name)s: its server's certificate has ended")
        return NoticeText(title % {"name": name}, sentence % {"at": tell_moment(ends)}, path, "bad")
    return NoticeText(
        _("%(name)s: its server's certificate ends") % {"name": name},
        _("It is good until %(at)s. After that nothing connects; whoever runs the server has to renew it.")
        % {"at": _date(told.get("at"))},
        path,
    )


def _refresh(told: dict[str, Any], name: str, key: str) -> NoticeText:
    count = int(told.get("count", 0))
    sentence = ngettext(
        "The credential of %(count)d account has not been renewed for an hour or more.",
        "The credentials of %(count)d accounts have not been renewed for an hour or more.",
        count,
    )
    title = _("%(name)s: renewing credentials fails") % {"name": name}
    return NoticeText(title, sentence % {"count": count}, f"/connectors/{key}/connections/")


def _review(told: dict[str, Any], _name: str, _key: str) -> NoticeText:
    count = int(told.get("count", 0))
    sentence = ngettext(
        "%(count)d connector has not been looked at for a quarter.",
        "%(count)d connectors have not been looked at for a quarter.",
        count,
    )
    return NoticeText(_("A review is due"), sentence % {"count": count}, "/reviews/", "calm")


def _chain(told: dict[str, Any], _name: str, _key: str) -> NoticeText:
    return NoticeText(
        _("The log of administrative events was altered"),
        _("Its last verification failed at event %(sequence)s (%(code)s). Keep a copy of the database and look.")
        % {"sequence": told.get("sequence") or "?", "code": told.get("code", "")},
        "/audit/verify/",
        "bad",
    )


def _removal(told: dict[str, Any], name: str, _key: str) -> NoticeText:
    return NoticeText(
        _("The removal of %(name)s does not get on") % {"name": name},
        _("Its last try ended with %(failure)s. It is tried again by itself.")
        % {"failure": told.get("failure") or "?"},
        "/health/",
    )


def _sweep(_told: dict[str, Any], name: str, _key: str) -> NoticeText:
    return NoticeText(
        _("Background work is overdue: %(name)s") % {"name": name},
        _("It did not succeed for two of its periods. Check that the worker runs with its schedule (--beat)."),
        "/health/",
        "bad",
    )


def _narrowing(told: dict[str, Any], name: str, _key: str) -> NoticeText:
    return NoticeText(
        _("%(name)s: your agents may use more than they do") % {"name": name},
        _("%(who)s asks you to take back what is unused. You see first what would change.")
        % {"who": told.get("name") or "?"},
        "/connections/unused/",
        "calm",
    )


def _date(text: object) -> str:
    moment = _read_date(text)
    return tell_moment(moment) if moment else "?"


def _read_date(text: object) -> datetime | None:
    try:
        return datetime.fromisoformat(str(text))
    except ValueError:
        return None


_WORDS: Final[dict[Notice.Kind, Callable[[dict[str, Any], str, str], NoticeText]]] = {
    Notice.Kind.CONNECTOR_DEAD: _dead,
    Notice.Kind.CERTIFICATE_ENDING: _certificate,
    Notice.Kind.REFRESH_FAILING: _refresh,
    Notice.Kind.REVIEW_DUE: _review,
    Notice.Kind.CHAIN_BROKEN: _chain,
    Notice.Kind.REMOVAL_STUCK: _removal,
    Notice.Kind.SWEEP_OVERDUE: _sweep,
    Notice.Kind.NARROWING_ASKED: _narrowing,
}
