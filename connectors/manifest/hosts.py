"""The host of an address as a person should read it: letters that only look alike are told apart (RFC 5891)."""

from urllib.parse import urlsplit


def host_of(url: str) -> str:
    """Return host and port in lower case; a host with letters beyond ASCII in its `xn--` form."""
    netloc = urlsplit(url).netloc.lower()
    if netloc.isascii():
        return netloc
    host, colon, port = netloc.partition(":")
    try:
        return f"{host.encode('idna').decode('ascii')}{colon}{port}"
    except UnicodeError:  # no name DNS could look up; written so that it cannot be taken for another
        return host.encode("ascii", "backslashreplace").decode("ascii") + colon + port
