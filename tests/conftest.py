"""Fixtures shared by all tests."""

import os

# Long proofs have make targets of their own (`make peers`).
collect_ignore = [] if "POCO_PROOFS" in os.environ else ["peers"]
