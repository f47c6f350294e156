"""Who is connected at a connector, for its administrators: states with plain reasons, scopes, last use; no secret.

Pages go by id, which rises with time: the newest account first, and no page costs more for being far down.
"""

import uuid
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Final

from django.db.models import Q, QuerySet
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from connectors.authorization.models import Connection
from connectors.catalogue.models import Connector
from connectors.catalogue.queries import audience
from connectors.catalogue.versions import manifest_of
from connectors.console.connection_states import NOT_SHARED, OUTDATED, WITHDRAWN, Badge, describe_state
from connectors.console.typed_ids import read_id
from connectors.manifest.auth import OAuthAuth

SIZE = 50
# The badge's own reasons speak to the account's owner.
TOLD_OF_OTHERS: Final[dict[str, tuple[Badge, str | Promise, str | Promise]]] = {
    "withdrawn": (WITHDRAWN, WITHDRAWN.label, _("The connector is withdrawn; the account works again with it.")),
    "not_shared": (
        NOT_SHARED,
        _("Not shared"),
        _("The connector is not shared with this person any more, nor with a team of theirs."),
    ),
    "outdated": (OUTDATED, OUTDATED.label, _("What the connector asks for has changed since; its owner reconnects.")),
}


@dataclass(frozen=True, slots=True)
class ConnectionFilters:
    q: str = ""
    state: str = ""
    after: uuid.UUID | None = None

    @property
    def narrowing(self) -> bool:
        return bool(self.q or self.state)


@dataclass(frozen=True, slots=True)
class ConnectionRow:
    """`lacking` are scopes that were asked for and not granted."""

    connection: Connection
    badge: Badge
    granted: tuple[str, ...]
    lacking: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ConnectionPage:
    """`required` are the scopes the installed version asks for; None where scopes are no matter."""

    rows: tuple[ConnectionRow, ...]
    older: str
    required: tuple[str, ...] | None


def read_connection_filters(query: QueryDict) -> ConnectionFilters:
    """Parse the address; what means nothing narrows nothing."""
    state = query.get("state", "")
    return ConnectionFilters(
        q=query.get("q", "").strip()[:100],
        state=state if state in Connection.State.values else "",
        after=read_id(query.get("after", "")),
    )


def list_connections(connector: Connector, filters: ConnectionFilters) -> ConnectionPage:
    """Return one page of a connector's connections; three queries however many there are."""
    found = list(_filtered(connector, filters)[: SIZE + 1])
    page, more = found[:SIZE], len(found) > SIZE
    owners = {connection.person_id for connection in page}
    seeing = set(audience(connector).filter(pk__in=owners).order_by().values_list("pk", flat=True))
    for connection in page:
        connection.connector = connector
    auth = manifest_of(connector.version).auth
    return ConnectionPage(
        rows=tuple(_row(connection, seeing) for connection in page),
        older=str(page[-1].pk) if more else "",
        required=tuple(auth.options.scopes) if isinstance(auth, OAuthAuth) else None,
    )


def _filtered(connector: Connector, filters: ConnectionFilters) -> QuerySet[Connection]:
    related = connector.connections.select_related("person", "credential", "refresh_lease", "avatar")
    found = related.defer("credential__sealed", "credential__grant", "avatar__content").order_by("-pk")
    if filters.after:
        found = found.filter(pk__lt=filters.after)
    if filters.state:
        found = found.filter(_in_state(connector, filters.state))
    for word in filters.q.split():
        account = Q(alias__icontains=word) | Q(external_account_name__icontains=word)
        owner = Q(person__username__icontains=word) | Q(person__display_name__icontains=word)
        found = found.filter(account | owner)
    return found


def _in_state(connector: Connector, state: str) -> Q:
    """`effective_state` as a condition: granted under another fingerprint means reauthorization is required."""
    current = Q(authorization_fingerprint=connector.authorization_fingerprint)
    match state:
        case Connection.State.DISCONNECTING:
            return Q(state=state)
        case Connection.State.REAUTHORIZATION_REQUIRED:
            return Q(state=state) | (~current & ~Q(state=Connection.State.DISCONNECTING))
        case _:
            return Q(state=state) & current


def _row(connection: Connection, seeing: Collection[int]) -> ConnectionRow:
    visible = {connection.connector_id} if connection.person_id in seeing else set()
    badge = describe_state(connection, visible=visible)
    for spoken_to_owner, label, reason in TOLD_OF_OTHERS.values():
        if badge is spoken_to_owner:
            badge = replace(badge, label=label, reason=reason)
    return ConnectionRow(connection, badge, tuple(connection.granted_scopes), tuple(connection.missing_scopes))
