"""A process that refreshes credentials on demand, for races and for being killed.

    python -m tests.fakes.refreshing_process [before_sending | before_write]

Each line of its input is `{"connection": …, "version": …, "callers": …}`: that many callers want the credential renewed
at once, from two event loops. It answers with a line that counts how they ended. The argument names where it dies.
"""

import asyncio
import json
import os
import signal
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NoReturn
from uuid import UUID

LOOPS = 2


def die(*_args: object) -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("still here")


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def renew(wish: dict[str, Any], callers: int) -> Counter[str]:
    from connectors.authorization.refresh import renew_credential  # noqa: PLC0415 - after Django's set-up
    from connectors.errors import ConnectorError  # noqa: PLC0415 - as above
    from connectors.runtime.deadline import Deadline  # noqa: PLC0415 - as above

    async def call() -> str:
        deadline = Deadline.after(60)
        try:
            renewed = await renew_credential(UUID(wish["connection"]), seen_version=wish["version"], deadline=deadline)
        except ConnectorError as error:
            return error.code
        return "renewed" if renewed else "impossible"

    return Counter(await asyncio.gather(*(call() for _ in range(callers))))


def main() -> None:
    import django  # noqa: PLC0415 - the process is started for this

    django.setup()
    from connectors.authorization import refresh  # noqa: PLC0415 - after Django's set-up

    points = {"before_sending": "_ask", "before_write": "_write"}
    for point in sys.argv[1:]:
        setattr(refresh, points[point], die)
    say("ready")
    with ThreadPoolExecutor(LOOPS) as pool:
        for line in sys.stdin:
            wish = json.loads(line)
            share = max(1, wish["callers"] // LOOPS)
            loops = range(min(LOOPS, wish["callers"]))
            ends = pool.map(lambda _loop, wish=wish, share=share: asyncio.run(renew(wish, share)), loops)
            say(json.dumps(sum(ends, Counter())))


if __name__ == "__main__":
    main()
