"""Which addresses we may connect to (safety §11, §12): public ones, and private ones an administrator named."""

from dataclasses import dataclass, field
from ipaddress import ip_network
from typing import Final

from yarl import URL

from connectors.egress.addresses import Network, Verdict, contains, judge_address, parse_address
from connectors.egress.errors import AddressRefused
from connectors.egress.urls import parse_url

_REMEMBERED: Final = 1024  # URLs already found good: the same few serve every call


@dataclass(frozen=True, slots=True)
class EgressPolicy:
    """`private_hosts`: names, addresses or CIDR networks that may be reached although they are not public.

    A name may resolve to private and loopback addresses; a network also opens special ones in it. Metadata, link-local,
    multicast and unspecified addresses stay closed whatever is listed. Raises ValueError for an entry that is neither.
    """

    private_hosts: tuple[str, ...] = ()
    _names: frozenset[str] = field(init=False, repr=False, compare=False)
    _networks: tuple[Network, ...] = field(init=False, repr=False, compare=False)
    _checked: dict[str, URL] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        networks: list[Network] = []
        names: set[str] = set()
        for entry in self.private_hosts:
            if "/" in entry or parse_address(entry.strip("[]")):
                networks.append(ip_network(entry.strip("[]")))
            else:
                names.add(_read_name(entry))
        object.__setattr__(self, "_names", frozenset(names))
        object.__setattr__(self, "_networks", tuple(networks))

    def check_address(self, host: str, address: str) -> None:
        """Raise AddressRefused unless this address may be connected to for this host."""
        parsed = parse_address(address)
        if parsed is None:
            raise AddressRefused(stage="address", reason="malformed_address", host=host)
        verdict = judge_address(parsed)
        allowed = verdict is Verdict.PUBLIC or (
            verdict is not Verdict.NEVER
            and (contains(self._networks, parsed) or (verdict is Verdict.PRIVATE and _plain(host) in self._names))
        )
        if not allowed:
            raise AddressRefused(stage="address", reason=f"{verdict}_address", host=host, address=address)

    def check_url(self, text: str) -> URL:
        """Return the parsed URL, or raise AddressRefused; a name is checked again once it is resolved."""
        if (known := self._checked.get(text)) is not None:
            return known
        url = parse_url(text)
        host = url.raw_host or ""
        if parse_address(host):
            self.check_address(host, host)
        if len(self._checked) >= _REMEMBERED:
            self._checked.clear()
        self._checked[text] = url
        return url


_current = EgressPolicy()


def configure(policy: EgressPolicy) -> None:
    """Set the policy of this process, before its first connection."""
    global _current  # noqa: PLW0603 - one policy a process, set once from the settings
    _current = policy


def current_policy() -> EgressPolicy:
    return _current


def check_url(url: str) -> None:
    """Raise AddressRefused for a URL we would never connect to; names are checked again once resolved."""
    _current.check_url(url)


def _plain(host: str) -> str:
    return host.rstrip(".").lower()


def _read_name(entry: str) -> str:
    try:
        url = parse_url(f"http://{entry}/")
    except AddressRefused:
        url = None
    if url is None or url.explicit_port or not url.raw_host or url.raw_path_qs != "/" or url.raw_fragment:
        msg = f"{entry!r} is neither a host name, an address nor a network."
        raise ValueError(msg)
    return _plain(url.raw_host)
