"""Which addresses we may connect to (safety §11, §12)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EgressPolicy:
    """`private_hosts`: names, addresses or CIDR networks that may be reached although they are not public."""

    private_hosts: tuple[str, ...] = ()


def configure(policy: EgressPolicy) -> None:
    """Set the policy of this process, before its first connection."""
    raise NotImplementedError


def check_url(url: str) -> None:
    """Raise AddressRefused for a URL we would never connect to; names are checked again once resolved."""
    raise NotImplementedError
