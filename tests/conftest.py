"""Fixtures shared by all tests."""

import os
import tempfile
from pathlib import Path

# Before Django reads its settings: every worker process keeps its files in a folder of its own.
os.environ["POCO_VAR_DIR"] = str(Path(tempfile.mkdtemp(prefix="poco-tests-")))

# Long proofs have make targets of their own (`make peers`).
collect_ignore = [] if "POCO_PROOFS" in os.environ else ["peers"]
