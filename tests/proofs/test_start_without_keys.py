"""Neither worker nor beat starts without the keys values were sealed with (safety §33)."""

import os
import subprocess
import sys

import pytest
from django.db import connection

from connectors.vault.startup import ensure_canaries
from tests.vault.conftest import make_entry


@pytest.mark.skipif(connection.vendor != "sqlite", reason="another process opens the test's database as a file")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("role", ["worker --pool solo", "beat"])
def test_neither_worker_nor_beat_starts_without_the_keys(settings, tmp_path, role):
    settings.VAULT_KEY_DIR, settings.VAULT_KEYS = None, make_entry("gone")
    ensure_canaries()
    environment = os.environ | {
        "POCO_VAULT_KEYS": make_entry("new"),
        "DATABASE_URL": f"sqlite:///{connection.settings_dict['NAME']}",
        "POCO_VAR_DIR": str(tmp_path),
    }
    command = [sys.executable, "-m", "celery", "-A", "poco.celery", *role.split()]
    done = subprocess.run(command, check=False, env=environment, text=True, capture_output=True, timeout=100)
    assert "gone is missing" in done.stderr
    assert done.returncode == 1
