"""What the web process does before its first request and after its last (ASGI lifespan)."""

import asyncio
import logging
import sys

from django.db import DatabaseError

from connectors.api.cancelling import finish_calls
from connectors.api.reply import Receive, Scope, Send
from connectors.api.warm_up import warm_up
from connectors.audit.call_log import drain_call_log
from connectors.audit.database_lanes import close_lane_connections, in_database
from connectors.authorization.refresh import finish_refreshes
from connectors.catalogue.orphans import sweep_copies
from connectors.egress.client import close_client
from connectors.runtime.end_with_parent import end_with_parent_if_asked
from connectors.vault.errors import CannotOpen, KeyRingFault
from connectors.vault.explanations import explain
from connectors.vault.startup import ensure_canaries

log = logging.getLogger(__name__)
# How long a busy thread may keep the interpreter from the others (Python's own is 5 ms): the log's thread gives it up a
# few times a call, pages run in threads too, and each time a whole interval may pass before the event loop's turn.
SWITCH_SECONDS = 0.0005
FINISH_SECONDS = 8.0


async def _sweep_copies() -> None:
    """Where no worker runs, what removed packages left on this machine goes when web starts."""
    try:
        await in_database(sweep_copies)
    except (DatabaseError, OSError):
        log.warning("copies of removed packages are not swept", exc_info=True)


async def lifespan(_scope: Scope, receive: Receive, send: Send) -> None:
    """Refuse to start without the right keys; at the end write what is still queued and close what is open."""
    await receive()
    end_with_parent_if_asked()
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        await in_database(ensure_canaries)
    except (KeyRingFault, CannotOpen) as error:
        log.critical("not starting: %s", explain(error))
        await send({"type": "lifespan.startup.failed", "message": error.code})
        return
    warm_up()
    await send({"type": "lifespan.startup.complete"})
    sweeping = asyncio.create_task(_sweep_copies())
    await receive()
    await asyncio.wait({sweeping})
    await finish_calls(FINISH_SECONDS)
    await drain_call_log()
    await finish_refreshes(FINISH_SECONDS)
    await close_client()
    close_lane_connections()
    await send({"type": "lifespan.shutdown.complete"})
