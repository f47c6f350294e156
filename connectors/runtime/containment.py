"""What contains the programs on this machine: chosen once, and told truthfully for the Health page."""

from dataclasses import dataclass
from pathlib import Path

from connectors.runtime.keeper_client import Abilities, configure_keeper, get_keeper


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer of containment; `reason` is a stable word for why it is not active."""

    name: str
    active: bool
    reason: str = ""


_bubblewrap_chosen = False


def configure_containment(*, bubblewrap: bool = False, folder: Path | None = None) -> None:
    """Choose whether bubblewrap goes around each program, and where one-use copies are made; called once at start."""
    global _bubblewrap_chosen  # noqa: PLW0603 - one setting a process is the point
    _bubblewrap_chosen = bubblewrap
    if folder is not None:
        configure_keeper(parent_folder=folder)


def sandbox_wanted() -> bool:
    return _bubblewrap_chosen


def describe_containment() -> tuple[Layer, ...]:
    """Return every layer and whether it holds here; starts the keeper if it is not running yet."""
    abilities = get_keeper().abilities
    return (
        Layer("one_use_folder", active=True),
        Layer("process_tree", active=True),
        Layer("resource_limits", active=True),
        Layer("no_new_privileges", active=True),
        Layer("scrubbed_environment", active=True),
        Layer("unprivileged_user", active=abilities.user is not None, reason=abilities.user_reason),
        _bubblewrap(abilities),
    )


def _bubblewrap(abilities: Abilities) -> Layer:
    if not sandbox_wanted():
        return Layer("bubblewrap", active=False, reason="not_chosen")
    return Layer("bubblewrap", active=abilities.bubblewrap, reason=abilities.bubblewrap_reason)
