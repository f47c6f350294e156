"""One SQLite database laid by the migrations while the workers collect; each takes a copy.

Laying it takes seconds of a processor, copying it milliseconds. PostgreSQL's, and the one of a run without
workers (`-n 0`), are laid the usual way.
"""

import shutil
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from pytest_django.plugin import blocking_manager_key

PATIENCE_SECONDS = 60


class _Laying:
    """The controller's part: migrate in a thread of its own; the file appears under its name once it is whole."""

    def __init__(self, config: pytest.Config) -> None:
        self._access = config.stash[blocking_manager_key]
        self.file = Path(settings.VAR_DIR) / "ready.sqlite3"
        self.thread = threading.Thread(target=self._lay, name="ready-database")

    def _lay(self) -> None:
        unfinished = self.file.with_suffix(".unfinished")
        connection.settings_dict["NAME"] = settings.DATABASES["default"]["NAME"] = str(unfinished)
        try:
            with self._access.unblock():
                call_command("migrate", verbosity=0, interactive=False)
                connection.close()  # the last one moves the log into the file
            unfinished.rename(self.file)
        finally:
            self.file.with_suffix(".ended").touch()

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        if not self.thread.ident:
            self.thread.start()
        node.workerinput["ready_database"] = str(self.file)

    def pytest_sessionfinish(self) -> None:
        if self.thread.ident:
            self.thread.join()


def pytest_configure(config: pytest.Config) -> None:
    workers = config.getoption("numprocesses", default=None)
    if workers and not hasattr(config, "workerinput") and connection.vendor == "sqlite":
        config.pluginmanager.register(_Laying(config))


def take_ready_database(config: pytest.Config, patch: pytest.MonkeyPatch) -> None:
    """Let pytest-django's set-up take a copy where it would migrate."""
    given = getattr(config, "workerinput", {}).get("ready_database")
    if given and _wait_for(Path(given)):
        patch.setattr(connection.creation, "create_test_db", lambda **_options: _copy(Path(given)))


def _wait_for(file: Path) -> bool:
    until = time.monotonic() + PATIENCE_SECONDS
    while not (ended := file.with_suffix(".ended").exists()) and time.monotonic() < until:
        time.sleep(0.02)
    return ended and file.exists()  # otherwise the usual way tells what is wrong with the migrations


def _copy(ready: Path) -> str:
    name = str(connection.creation._get_test_db_name())
    shutil.copyfile(ready, name)
    connection.close()
    settings.DATABASES["default"]["NAME"] = connection.settings_dict["NAME"] = name
    connection.ensure_connection()
    return name
