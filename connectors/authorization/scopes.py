"""What an account may do at its service, compared with what was asked for (RFC 6749 §3.3, §5.1).

A missing scope makes no connection useless: a package says of no tool which scopes it needs (handbook §5, §6), so the
service refuses tool by tool, and everything else goes on.
"""

from collections.abc import Collection, Sequence

from connectors.authorization.accounts import STANDING
from connectors.authorization.models import Connection
from connectors.manifest.auth import asked_scopes
from connectors.manifest.schema import Manifest

OFFLINE = "offline_access"
IDENTITY = frozenset({"openid", "profile", "email", "address", "phone"})  # OpenID Connect Core §5.4


def scopes_missing(asked: Sequence[str], granted: Collection[str], *, renewable: bool) -> tuple[str, ...]:
    """Return the scopes that were asked for and not granted.

    `offline_access` counts as granted where a refresh token came, and OpenID's own scopes always: what is told of a
    person is no permission at the resource, and servers that bind tokens to one do not repeat them (RFC 8707).
    """
    held = {*granted, *IDENTITY, *([OFFLINE] if renewable else [])}
    return tuple(scope for scope in dict.fromkeys(asked) if scope not in held)


def note_granted(connection: Connection, manifest: Manifest, granted: Sequence[str], *, renewable: bool) -> None:
    """Take over the scopes a refresh was answered with, on a row the caller saves: it may have lost some (§6).

    What a program's account had and has no more was asked for when its owner signed in, whoever asked.
    """
    asked = asked_scopes(manifest.auth) or (*connection.granted_scopes, *connection.missing_scopes)
    connection.granted_scopes = list(granted)
    connection.missing_scopes = list(scopes_missing(asked, granted, renewable=renewable))
    connection.needed_scopes = [scope for scope in connection.needed_scopes if scope not in granted]
    if connection.state in STANDING:
        connection.state = standing_state(connection)


def standing_state(connection: Connection) -> Connection.State:
    """Return the state of an account whose authorization stands: what else is known of it decides."""
    if connection.unreachable_since is not None:
        return Connection.State.UNREACHABLE
    lacks = connection.missing_scopes or connection.needed_scopes
    return Connection.State.INSUFFICIENT_SCOPE if lacks else Connection.State.ACTIVE
