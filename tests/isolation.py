"""Loaded before Django's settings: every test process keeps its files in a folder of its own, removed at the end."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

_folder = Path(tempfile.mkdtemp(prefix="poco-tests-"))
(_folder / "static").mkdir()
os.environ["POCO_VAR_DIR"] = str(_folder)
_owner = os.getpid()


@atexit.register
def _remove_folder() -> None:
    if os.getpid() == _owner:  # not in a child that was forked and leaves through the front door
        shutil.rmtree(_folder, ignore_errors=True)
