"""Judge one IP address (safety §11).

The networks are written out: Python 3.12.1's `is_global` calls several of them public. An address that carries another
one (mapped, NAT64, 6to4, Teredo, compatible) is judged by both.
"""

from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

type Address = IPv4Address | IPv6Address
type Network = IPv4Network | IPv6Network


class Verdict(StrEnum):
    PUBLIC = "public"
    PRIVATE = "private"  # only where an administrator named the host or the network
    SPECIAL = "special"  # only where an administrator named the network
    NEVER = "never"


def _networks(text: str) -> tuple[Network, ...]:
    return tuple(ip_network(part) for part in text.split())


_NEVER: Final = _networks(
    "0.0.0.0/8 169.254.0.0/16 224.0.0.0/4 240.0.0.0/4 "  # unspecified, link-local and metadata, multicast, reserved
    "100.100.100.200/32 168.63.129.16/32 192.0.0.192/32 "  # metadata of Alibaba, Azure, Oracle
    "::/128 fe80::/10 fec0::/10 ff00::/8 "  # unspecified, link-local, site-local, multicast
    "fd00:ec2::/32 fd20:ce::/32 "  # metadata of Amazon, Google
)
_PRIVATE: Final = _networks("10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 172.16.0.0/12 192.168.0.0/16 ::1/128 fc00::/7")
_SPECIAL: Final = _networks(
    "192.0.0.0/24 192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.175.48.0/24 "
    "198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 "
    "2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20"
)
_IPV6_UNICAST: Final = IPv6Network("2000::/3")  # everything public is in it; all the rest is special
_NAT64: Final = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"), IPv6Network("::/96"))


def judge_address(address: Address) -> Verdict:
    """Return how an address may be used, whatever the administrator allowed."""
    verdict = _judge_alone(address)
    carried = _carried_by(address)
    if carried is None or verdict is Verdict.NEVER:
        return verdict
    if _judge_alone(carried) is Verdict.NEVER:
        return Verdict.NEVER
    return _judge_alone(carried) if _is_mapped(address) else Verdict.SPECIAL


@lru_cache(maxsize=4096)
def parse_address(text: str) -> Address | None:
    """Return the canonical address; None for a name, an odd spelling, or an address with a zone."""
    if "%" in text:
        return None
    try:
        return ip_address(text)
    except ValueError:
        return None


def contains(networks: Iterable[Network], address: Address) -> bool:
    """Tell whether the address, or the IPv4 address it maps, lies in one of the networks."""
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return any(address in network or (mapped is not None and mapped in network) for network in networks)


def _judge_alone(address: Address) -> Verdict:
    if contains(_NEVER, address):
        return Verdict.NEVER
    if contains(_PRIVATE, address):
        return Verdict.PRIVATE
    if contains(_SPECIAL, address) or (isinstance(address, IPv6Address) and address not in _IPV6_UNICAST):
        return Verdict.SPECIAL
    return Verdict.PUBLIC


def _is_mapped(address: Address) -> bool:
    return isinstance(address, IPv6Address) and address.ipv4_mapped is not None


def _carried_by(address: Address) -> IPv4Address | None:
    """Return the IPv4 address inside: where the packet really goes, or may go."""
    if isinstance(address, IPv4Address) or address == IPv6Address("::1"):
        return None
    if any(address in network for network in _NAT64):
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    teredo = address.teredo
    return address.ipv4_mapped or address.sixtofour or (teredo[1] if teredo else None)
