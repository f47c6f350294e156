"""Where the request that is being answered came from, for the events it leaves.

A middleware of the console sets it; the command line and the worker have none.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from ipaddress import ip_address

_address: ContextVar[str] = ContextVar("remote_address", default="")


def current_address() -> str:
    """Return the address (IPv4 or IPv6, without a port), or "" where no request is being answered."""
    return _address.get()


@contextmanager
def coming_from(address: str) -> Iterator[None]:
    """Within it, what happens was asked for from this address; anything else than an address counts as none."""
    token = _address.set(_parse(address))
    try:
        yield
    finally:
        _address.reset(token)


def _parse(address: str) -> str:
    try:
        parsed = ip_address(address.partition("%")[0])  # a zone is this machine's own name for a network
    except ValueError:
        return ""
    mapped = getattr(parsed, "ipv4_mapped", None)
    return str(mapped or parsed)
