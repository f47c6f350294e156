"""A connection's badge: its state, the plain reason, and the one act that mends it."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from django.utils import timezone
from django.utils.functional import Promise
from django.utils.timezone import localtime
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from connectors.authorization.accounts import effective_state
from connectors.authorization.expiry import find_expiry
from connectors.authorization.models import Connection, RefreshLease
from connectors.catalogue.models import Connector
from connectors.console.rendering.sentences import join_sentences
from connectors.console.stages import STAGES


class Mend(StrEnum):
    """The one act offered beside a badge."""

    NOTHING = ""
    RECONNECT = "reconnect"
    GRANT = "grant"  # the same way, for what was not granted the first time
    CHECK = "check"
    ASK = "ask"
    WAIT = "wait"


ENDS_SOON, RENEWAL_FAILING, RENEWAL_FAILING_NOW = "ends_soon", "renewal_failing", "not_renewed"
STILL_WORKING = frozenset({ENDS_SOON, RENEWAL_FAILING})


@dataclass(frozen=True, slots=True)
class Badge:
    state: str
    tone: str  # of the badge tag: good, warn, bad or calm
    label: str | Promise
    reason: str | Promise = ""
    mend: Mend = Mend.NOTHING

    @property
    def working(self) -> bool:
        return self.tone == "good" or self.state in STILL_WORKING

    @property
    def ended(self) -> bool:
        """Whether only authorizing it again brings the account back."""
        return self.state == Connection.State.REAUTHORIZATION_REQUIRED


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
BY_STATE = {
    Connection.State.ACTIVE: WORKING,
    Connection.State.REAUTHORIZATION_REQUIRED: Badge(
        "reauthorization_required",
        "bad",
        _("Reconnect needed"),
        _("The service no longer accepts the saved credential."),
        Mend.RECONNECT,
    ),
    # Of an account that lacks nothing it was asked for, connecting again would change nothing: `_describe_lack`.
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

# Why a refresh fails that is tried again; any other word is the service's own, and shown as it is.
RENEWAL_FAILURES: dict[str, str | Promise] = {
    "unavailable": _("the service could not be reached"),
    "address_refused": _("its address is one this console may not call"),
    "token_endpoint_failed": _("the service answered with an error of its own"),
    "token_answer_unreadable": _("the service's answer could not be read"),
    "connector_action_outcome_unknown": _("the service's answer did not arrive"),
    "program_timeout": _("the connector's program took too long"),
    "program_protocol": _("the connector's program gave no valid answer"),
    "rate_limited": _("the service asks to slow down"),
    "invalid_client": _("the service does not accept this console's client id or secret"),
    "unauthorized_client": _("the service does not let this console renew"),
    "": _("this console was interrupted while it asked"),
}
FOR_ADMINISTRATORS = frozenset({"invalid_client", "unauthorized_client", "address_refused", "program_protocol"})
RENEWED_STATES = (Connection.State.ACTIVE, Connection.State.INSUFFICIENT_SCOPE)


def describe_state(connection: Connection, *, visible: Collection[UUID]) -> Badge:
    """`visible` holds the ids of the connectors the owner may see now; the connector is read from the connection."""
    connector = connection.connector
    if connector.status != Connector.Status.PUBLISHED:
        return WITHDRAWN
    if connector.pk not in visible:
        return NOT_SHARED
    state = effective_state(connection)
    if state != connection.state:
        return OUTDATED
    return _describe_failing_renewal(connection) or _DESCRIBE.get(state, _describe_plain)(connection)


def _describe_plain(connection: Connection) -> Badge:
    return BY_STATE[Connection.State(connection.state)]


def _describe_end(connection: Connection) -> Badge:
    badge = BY_STATE[Connection.State.REAUTHORIZATION_REQUIRED]
    lease = getattr(connection, "refresh_lease", None)
    return replace(badge, reason=ENDINGS.get(lease.failure if lease else "", badge.reason))


def _describe_failing_renewal(connection: Connection) -> Badge | None:
    """Say while refreshes fail: since when, how, and when the next is tried; the account works until its time is up."""
    lease: RefreshLease | None = getattr(connection, "refresh_lease", None)
    if lease is None or lease.failing_since is None or connection.state not in RENEWED_STATES:
        return None
    moments = {"since": _write(lease.failing_since), "why": RENEWAL_FAILURES.get(lease.failure, lease.failure)}
    told = [gettext("Renewing the credential has failed since %(since)s: %(why)s.") % moments]
    next_try = max(filter(None, (lease.due_at, lease.cooldown_until)), default=None)
    if next_try is not None:
        told.append(gettext("It is tried again by itself at %(at)s.") % {"at": _write(next_try)})
    expires_at = connection.credential.expires_at if hasattr(connection, "credential") else None
    over = expires_at is not None and expires_at <= timezone.now()
    told.append(gettext("Until then calls fail.") if over else gettext("Calls go on as long as the old one is good."))
    mend = Mend.ASK if lease.failure in FOR_ADMINISTRATORS else Mend.WAIT
    if over:
        return Badge(RENEWAL_FAILING_NOW, "bad", _("Not renewed"), join_sentences(*told), mend)
    return Badge(RENEWAL_FAILING, "warn", _("Renewal failing"), join_sentences(*told), mend)


def _write(moment: datetime) -> str:
    """In the reader's zone, and never ending in a full stop: it may end a sentence."""
    return f"{localtime(moment):%Y-%m-%d %H:%M}"


def _describe_active(connection: Connection) -> Badge:
    """Say ahead of time when an account stops working; it works until then."""
    expiry = find_expiry(connection)
    if expiry is None:
        return WORKING
    at = _write(expiry.at)
    if expiry.of == "renewal":
        reason = gettext("The service lets this sign-in be renewed until %(at)s. Reconnect before then.")
    else:
        reason = gettext("The credential works until %(at)s, and the service offers no renewal. Reconnect before then.")
    return Badge(ENDS_SOON, "warn", _("Ends soon"), reason % {"at": at}, Mend.RECONNECT)


def _describe_unreachable(connection: Connection) -> Badge:
    badge = BY_STATE[Connection.State.UNREACHABLE]
    if connection.unreachable_since is None:
        return badge
    told = gettext("The service has not answered since %(since)s.") % {"since": _write(connection.unreachable_since)}
    stage = STAGES.get(connection.unreachable_stage)
    why = f"{stage.title}: {stage.sentence}" if stage else ""
    rest = gettext("Calls are still tried; the first that goes well ends this.")
    return replace(badge, reason=join_sentences(told, why, rest))


def _describe_lack(connection: Connection) -> Badge:
    """Reconnecting is offered where it asks for what is missing, and never else."""
    missing, needed = connection.missing_scopes, connection.needed_scopes
    badge = BY_STATE[Connection.State.INSUFFICIENT_SCOPE]
    told = []
    if missing:  # asked for when its owner signed in, so connecting again asks for them again
        told.append(
            ngettext(
                "The service did not grant the scope %(scopes)s. Reconnect and allow it; if it is not offered, whoever "
                "manages the account there has to allow it first.",
                "The service did not grant the scopes %(scopes)s. Reconnect and allow them; if they are not offered, "
                "whoever manages the account there has to allow them first.",
                len(missing),
            )
            % {"scopes": ", ".join(missing)}
        )
    if needed:
        told.append(
            ngettext(
                "Some calls need the scope %(scopes)s, which this package does not ask for. Connecting again changes "
                "nothing: an administrator has to install a package that asks for it.",
                "Some calls need the scopes %(scopes)s, which this package does not ask for. Connecting again changes "
                "nothing: an administrator has to install a package that asks for them.",
                len(needed),
            )
            % {"scopes": ", ".join(needed)}
        )
    if not told:
        return badge
    told.append(gettext("Everything else works."))
    return replace(badge, reason=join_sentences(*told), mend=Mend.GRANT if missing else Mend.ASK)


_DESCRIBE: dict[str, Callable[[Connection], Badge]] = {
    Connection.State.ACTIVE: _describe_active,
    Connection.State.INSUFFICIENT_SCOPE: _describe_lack,
    Connection.State.UNREACHABLE: _describe_unreachable,
    Connection.State.REAUTHORIZATION_REQUIRED: _describe_end,
}
