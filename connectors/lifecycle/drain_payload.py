"""What was typed for a change that waits: one sealed text in its drain, wiped when it ends."""

import json

from connectors.lifecycle.models import Drain
from connectors.lifecycle.version_change import Typed
from connectors.vault.fields import place_of
from connectors.vault.sealing import open_sealed, seal
from connectors.vault.secret import Secret


def seal_typed(drain: Drain, typed: Typed) -> None:
    """Set the drain's sealed column; the caller saves it."""
    plain = {
        "raw_configuration": dict(typed.raw_configuration),
        "cleared": sorted(typed.cleared),
        "accepted": sorted(typed.accepted),
        "expected_revision": typed.expected_revision,
        "expected_reauthorize": typed.expected_reauthorize,
    }
    drain.sealed = seal(Secret(json.dumps(plain)), place=place_of(drain))


def open_typed(drain: Drain) -> Typed:
    """Return what was typed; raise `vault.errors.CannotOpen` when it is damaged."""
    assert drain.sealed is not None
    plain = json.loads(open_sealed(drain.sealed, place=place_of(drain)).reveal())
    return Typed(
        raw_configuration=plain["raw_configuration"],
        cleared=frozenset(plain["cleared"]),
        accepted=frozenset(plain["accepted"]),
        expected_revision=plain["expected_revision"],
        expected_reauthorize=plain["expected_reauthorize"],
    )
