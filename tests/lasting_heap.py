"""Modules and collected tests live until the end: the garbage collector need not walk them with every round.

Nothing is collected until the first test; from then on only what the tests leave behind is.
"""

import gc

import pytest

gc.disable()


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    gc.freeze()
    gc.enable()
