"""A connection's badge: its state, the plain reason, and the one act that mends it."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from enum import StrEnum
from uuid import UUID

from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.timezone import localtime
from django.utils.translation import gettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _

from connectors.authorization.accounts import effective_state
from connectors.authorization.expiry import find_expiry
from connectors.authorization.models import Connection
from connectors.catalogue.models import Connector


class Mend(StrEnum):
    """The one act offered beside a badge."""

    NOTHING = ""
    RECONNECT = "reconnect"
    CHECK = "check"
    ASK = "ask"
    WAIT = "wait"


ENDS_SOON = "ends_soon"


@dataclass(frozen=True, slots=True)
class Badge:
    state: str
    tone: str  # of the badge tag: good, warn, bad or calm
    label: str | Promise
    reason: str | Promise = ""
    mend: Mend = Mend.NOTHING

    @property
    def working(self) -> bool:
        return self.tone == "good" or self.state == ENDS_SOON


WORKING = Badge("active", "good", _("Working"))
WITHDRAWN = Badge(
    "withdrawn",
    "warn",
    _("Withdrawn"),
    _("An administrator has withdrawn this connector. Your account is kept and works again once it is published."),
    Mend.ASK,
)
NOT_SHARED = Badge(
    "not_shared",
    "warn",
    _("Not shared with you"),
    _("This connector is no longer shared with you. An administrator can share it with you or with a team of yours."),
    Mend.ASK,
)
OUTDATED = Badge(
    "reauthorization_required",
    "bad",
    _("Reconnect needed"),
    _("What this connector asks for has changed since you connected."),
    Mend.RECONNECT,
)
LACKING = Badge("insufficient_scope", "warn", _("Permission missing"), "", Mend.RECONNECT)
BY_STATE = {
    Connection.State.ACTIVE: WORKING,
    Connection.State.REAUTHORIZATION_REQUIRED: Badge(
        "reauthorization_required",
        "bad",
        _("Reconnect needed"),
        _("The service no longer accepts the saved credential."),
        Mend.RECONNECT,
    ),
    # Nothing we asked for is missing, so connecting again would change nothing and is not what this badge offers.
    Connection.State.INSUFFICIENT_SCOPE: Badge(
        "insufficient_scope",
        "warn",
        _("Permission missing"),
        _("The account lacks a permission at the service. Whoever manages the account there has to add it."),
        Mend.ASK,
    ),
    Connection.State.UNREACHABLE: Badge(
        "unreachable",
        "warn",
        _("Not reachable"),
        _("The service did not answer when it was last asked. It may be down for a while."),
        Mend.CHECK,
    ),
    Connection.State.DISCONNECTING: Badge(
        "disconnecting",
        "calm",
        _("Disconnecting"),
        _("The credential is being revoked at the service."),
        Mend.WAIT,
    ),
}
# Why an authorization ended, where more is known than that it did: by the failure kept with its lease.
ENDINGS: dict[str, str | Promise] = {
    "refresh_interrupted": _(
        "The credential was being renewed when this console was interrupted, and the service accepts the old one no "
        "longer."
    ),
    "expired": _("The credential's time is up, and the service offers no renewal."),
}


def describe_state(connection: Connection, *, visible: Collection[UUID]) -> Badge:
    """`visible` holds the ids of the connectors the owner may see now; the connector is read from the connection."""
    connector = connection.connector
    if connector.status != Connector.Status.PUBLISHED:
        return WITHDRAWN
    if connector.pk not in visible:
        return NOT_SHARED
    state = effective_state(connection)
    if state == Connection.State.INSUFFICIENT_SCOPE and connection.missing_scopes:
        return _describe_missing(connection.missing_scopes)
    if state != connection.state:
        return OUTDATED
    if state == Connection.State.REAUTHORIZATION_REQUIRED:
        return _describe_end(connection)
    return _describe_expiry(connection) if state == Connection.State.ACTIVE else BY_STATE[state]


def _describe_end(connection: Connection) -> Badge:
    badge = BY_STATE[Connection.State.REAUTHORIZATION_REQUIRED]
    lease = getattr(connection, "refresh_lease", None)
    return replace(badge, reason=ENDINGS.get(lease.failure if lease else "", badge.reason))


def _describe_expiry(connection: Connection) -> Badge:
    """Say ahead of time when an account stops working; it works until then."""
    expiry = find_expiry(connection)
    if expiry is None:
        return WORKING
    at = date_format(localtime(expiry.at), "DATETIME_FORMAT")
    if expiry.of == "renewal":
        reason = gettext("The service lets this sign-in be renewed until %(at)s. Reconnect before then.")
    else:
        reason = gettext("The credential works until %(at)s, and the service offers no renewal. Reconnect before then.")
    return Badge(ENDS_SOON, "warn", _("Ends soon"), reason % {"at": at}, Mend.RECONNECT)


def _describe_missing(scopes: list[str]) -> Badge:
    """These were asked for when its owner signed in, so connecting again asks for them again."""
    reason = ngettext_lazy(
        "The service did not grant the scope %(scopes)s. Reconnect and allow it; if it is not offered, whoever manages "
        "the account there has to allow it first.",
        "The service did not grant the scopes %(scopes)s. Reconnect and allow them; if they are not offered, whoever "
        "manages the account there has to allow them first.",
        len(scopes),
    )
    return replace(LACKING, reason=reason % {"scopes": ", ".join(scopes)})
