"""Key rings of the test's own."""

import base64
import secrets
from pathlib import Path

import pytest


def make_entry(name: str) -> str:
    return f"{name}:{base64.b64encode(secrets.token_bytes(32)).decode()}"


@pytest.fixture
def use_keys(settings):
    """Make a ring of these names, the first one active; the same name is the same key throughout a test."""
    made: dict[str, str] = {}

    def use(*names: str) -> None:
        settings.VAULT_KEY_DIR = None
        settings.VAULT_KEYS = ",".join(made.setdefault(name, make_entry(name)) for name in names)

    return use


@pytest.fixture
def key_dir(settings, tmp_path: Path) -> Path:
    """The embedded form, with a folder of its own that is not there yet."""
    settings.VAULT_KEYS = ""
    settings.VAULT_KEY_DIR = tmp_path / "keys"
    return tmp_path / "keys"
