"""Tests touch nothing of the person who runs them."""

import os
from pathlib import Path

from django.conf import settings
from django.db import connection


def test_settings_and_database_lie_in_this_processs_own_folder():
    folder = Path(os.environ["POCO_VAR_DIR"])
    assert folder == settings.VAR_DIR
    assert folder.name.startswith("poco-tests-")
    if connection.vendor == "sqlite":
        assert folder in Path(connection.settings_dict["TEST"]["NAME"]).parents
