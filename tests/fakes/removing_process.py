"""A worker that goes on with removals, and that can be told where to die.

    python -m tests.fakes.removing_process [letting_go | rows_gone | cleaning]

Each line of its input makes it revoke what is due and advance every removal; it answers with how many have ended.
"""

import os
import signal
import sys
from typing import Any, NoReturn


def die(*_args: object, **_named: object) -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("still here")


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    import django  # noqa: PLC0415 - the process is started for this

    django.setup()
    from connectors.authorization import revocation  # noqa: PLC0415 - after Django's set-up
    from connectors.lifecycle import removal_steps  # noqa: PLC0415 - as above

    let_go, batches = removal_steps.let_go, []

    def die_in_the_second_batch(connector: Any) -> bool:
        ended: bool = let_go(connector)
        batches.append(connector)
        if len(batches) > 1:
            die()
        return ended

    points = {
        "letting_go": ("let_go", die_in_the_second_batch),
        "rows_gone": ("_clean", die),
        "cleaning": ("drop_package", die),
    }
    for point in sys.argv[1:]:
        setattr(removal_steps, *points[point])
    say("ready")
    for _line in sys.stdin:
        revocation.revoke_due()
        say(str(removal_steps.advance_removals()))


if __name__ == "__main__":
    main()
