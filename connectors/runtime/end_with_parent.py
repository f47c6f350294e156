"""Be ended when the parent ends, even killed: nothing may go on serving, or writing, that nobody watches any more.

    python -m connectors.runtime.end_with_parent MODULE ARGUMENT…

becomes that module, bound. Linux tells a child of its parent's end; elsewhere a killed parent leaves its children.
Standard library only.
"""

import os
import signal
import sys

from connectors.runtime.keeper.confine import signal_at_parents_end

ASKED = "POCO_END_WITH_PARENT"


def end_with_parent(number: signal.Signals = signal.SIGTERM) -> None:
    """Call it in the child's main thread; what started the child must be its parent's main thread."""
    if sys.platform == "linux":
        signal_at_parents_end(number)


def end_with_parent_if_asked() -> None:
    """For processes that our own processes start again, such as each of several web processes."""
    if ASKED in os.environ:
        end_with_parent()


def main() -> None:
    end_with_parent()
    os.environ[ASKED] = "1"
    os.execv(sys.executable, [sys.executable, "-m", *sys.argv[1:]])  # noqa: S606 - our own modules, no shell


if __name__ == "__main__":
    main()
