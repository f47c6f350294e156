"""What a program says beside its answer, fit to be shown or kept: redacted first, cut afterwards (handbook §8).

The other way round a secret that lies across the cut would leave its first half behind.
"""

from collections.abc import Collection
from typing import Final

from connectors.vault.redaction import mask_secrets, redact_text
from connectors.vault.secret import Secret

MAX_MESSAGE_CHARACTERS: Final = 2000
MAX_NOTE_BYTES: Final = 64 * 1024
# Read beyond what is kept and thrown away after masking; no secret's written form that matters is longer.
MARGIN: Final = 16 * 1024
# The patterns are looked for a little beyond the cut, not through the megabytes a message may have.
_PATTERN_MARGIN: Final = 2000


def tell_message(message: str, secrets: Collection[Secret]) -> str:
    """Return a program's error message as people may see it: without secrets, at most 2,000 characters."""
    masked = mask_secrets(message, secrets)[: MAX_MESSAGE_CHARACTERS + _PATTERN_MARGIN]
    return redact_text(masked)[:MAX_MESSAGE_CHARACTERS]


def keep_notes(stderr: bytes, secrets: Collection[Secret]) -> str:
    """Return the last 64 KiB of standard error, redacted. `stderr` is its last 64 KiB and a margin before them."""
    notes = redact_text(stderr.decode("utf-8", "replace"), secrets)
    begins_anywhere = len(stderr) >= MAX_NOTE_BYTES + MARGIN  # within a secret, too
    return notes[MARGIN if begins_anywhere else 0 :].encode()[-MAX_NOTE_BYTES:].decode("utf-8", "ignore")
