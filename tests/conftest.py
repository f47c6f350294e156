"""Fixtures shared by all tests."""

import os
import tempfile
from pathlib import Path

# Before Django reads its settings: every worker process keeps its files in a folder of its own.
os.environ["POCO_VAR_DIR"] = str(Path(tempfile.mkdtemp(prefix="poco-tests-")))
