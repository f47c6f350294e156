"""Fixtures shared by all tests."""

import os

# Long proofs have make targets of their own (`make peers`, `make browser`).
collect_ignore = [] if "POCO_PROOFS" in os.environ else ["peers", "browser/test_every_page.py"]
