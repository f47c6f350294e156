"""Secrets that the embedded form makes for itself, readable by their owner only."""

import contextlib
import os
import secrets
import tempfile
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured


def read_or_make_secret(path: Path) -> str:
    """Return the secret in the file, making it (mode 0600) when absent; whoever is first wins a race."""
    try:
        return _read_or_make(path)
    except OSError as error:
        msg = f"{path} can be neither read nor made: {error.strerror}. POCO_VAR_DIR names the folder for all data."
        raise ImproperlyConfigured(msg) from error


def _read_or_make(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not path.exists():
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # mkstemp's mode is 0600
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_urlsafe(48))
        # The link fails when another was first; its secret then counts.
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
        Path(draft).unlink()
    return path.read_text(encoding="ascii").strip()
