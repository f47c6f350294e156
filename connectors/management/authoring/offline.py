"""No network for the programs that are tried: they go through a proxy that refuses everybody."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager

_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
_EXCEPTIONS = "NO_PROXY"


@contextmanager
def offline() -> Iterator[None]:
    """Name a proxy nobody answers at to the programs started meanwhile.

    What honours the proxy variables (httpx, urllib) then fails at once and reaches nobody; a program that opens sockets
    of its own is not held back by this.
    """
    names = [*_PROXIES, _EXCEPTIONS]
    names += [name.lower() for name in names]
    before = {name: os.environ.pop(name, None) for name in names}
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # taken, and never listening
        refusing = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        os.environ.update(dict.fromkeys((*_PROXIES, *(name.lower() for name in _PROXIES)), refusing))
        try:
            yield
        finally:
            for name, value in before.items():
                os.environ.pop(name, None)
                if value is not None:
                    os.environ[name] = value
