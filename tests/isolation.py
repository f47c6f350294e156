"""Loaded before Django's settings: every test process keeps its files in a folder of its own, removed at the end."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

_folder = Path(tempfile.mkdtemp(prefix="poco-tests-"))
(_folder / "static").mkdir()
os.environ["POCO_VAR_DIR"] = str(_folder)
atexit.register(shutil.rmtree, _folder, ignore_errors=True)
