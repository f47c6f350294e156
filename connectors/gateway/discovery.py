"""Discovery: what a connection's servers list, kept as its toolset."""

from connectors.authorization.models import Connection
from connectors.gateway.models import Toolset


def refresh_toolset(*, connection: Connection) -> Toolset:
    """List every server of the connection's connector again and keep the answer; for synchronous callers."""
    raise NotImplementedError
