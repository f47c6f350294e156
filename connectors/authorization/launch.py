"""Where a connection's service is opened: asked of the package's program, and looked at before anybody goes there.

§10: `launch_url` returns the expected http(s) site only. Expected are the hosts the package and its configuration name,
what lies below them, and their neighbours under one domain (`api.example.com` and `www.example.com`). A package that
names none is believed for https alone.
"""

from collections.abc import Iterator
from urllib.parse import urlsplit

from asgiref.sync import async_to_sync

from connectors.authorization.models import Connection
from connectors.catalogue.models import Connector
from connectors.catalogue.program import open_program
from connectors.catalogue.versions import manifest_of
from connectors.egress.policy import check_url
from connectors.errors import NotFound, UpstreamFault
from connectors.manifest.difference import hosts
from connectors.runtime.deadline import Deadline
from connectors.runtime.operations import LAUNCH_URL
from connectors.runtime.program import invoke_program
from connectors.runtime.program_context import LaunchUrl

LAUNCH_SECONDS = 20.0
# Under these second labels of a country's domain everybody is a neighbour: `com.cn`, `co.uk`.
_SHARED = frozenset({"com", "co", "net", "org", "gov", "edu", "ac", "or", "ne", "go"})


def find_launch_url(connection: Connection) -> str:
    """Return the address; raise `NotFound("launch_url_absent")` when the program has none for this account.

    Raises `UpstreamFault("launch_url_refused")` for another site, AddressRefused for what is no web address, and what
    `invoke_program` raises.
    """
    connector = connection.connector
    context = LaunchUrl(public_configuration=connector.configuration, connection_metadata=connection.public_metadata)
    deadline = Deadline.after(LAUNCH_SECONDS)
    told = async_to_sync(invoke_program)(open_program(connector.version), LAUNCH_URL, context, deadline=deadline)
    if told.url is None:
        raise NotFound("launch_url_absent", key=connector.key)
    check_url(told.url)
    if not is_expected(told.url, frozenset(_known_hosts(connector))):
        raise UpstreamFault("launch_url_refused", host=urlsplit(told.url).hostname or "")
    return told.url


def is_expected(url: str, known: frozenset[str]) -> bool:
    """Return whether an address belongs to the site of one of the known hosts."""
    host = _plain(url)
    if not known:
        return urlsplit(url).scheme == "https"
    return any(host == one or host.endswith(f".{one}") or _site(host) == _site(one) for one in known)


def _known_hosts(connector: Connector) -> Iterator[str]:
    manifest = manifest_of(connector.version)
    for named in hosts(manifest):
        yield _plain(f"//{named}")
    for field in manifest.configuration.fields:
        if field.type == "url" and (value := connector.configuration.get(field.key)):
            yield _plain(value)


def _plain(url: str) -> str:
    return (urlsplit(url).hostname or "").lower().rstrip(".")


def _site(host: str) -> str:
    """Return the domain that neighbours share, the host itself where there is none above it."""
    labels = host.split(".")
    if labels[-1].isdigit() or ":" in host:
        return host
    shared = 3 if len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SHARED else 2  # noqa: PLR2004 - labels
    return ".".join(labels[-shared:])
