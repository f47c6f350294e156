"""Actions on a connection (handbook §4)."""

from collections.abc import Iterator

from connectors.errors import Fault
from connectors.manifest.parts import Parts
from connectors.manifest.presentation import OpenService


def check_presentation(parts: Parts) -> Iterator[Fault]:
    if parts.presentation is None:
        return
    for index, action in enumerate(parts.presentation.connection_actions):
        if isinstance(action, OpenService):
            yield from _check_open_service(parts, action, f"/presentation/connection_actions/{index}")


def _check_open_service(parts: Parts, action: OpenService, place: str) -> Iterator[Fault]:
    if (action.url is None) == (action.url_source is None):
        yield Fault("action_address_source", place)
    offered = parts.program.capabilities if parts.program else ()
    if action.url_source and "launch_url" not in offered and "program" not in parts.faulty:
        yield Fault("launch_url_not_offered", f"{place}/url_source")
