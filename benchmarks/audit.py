"""The logs at volume: insert rate, bytes a row, page times, ledger, export; beside the naive form in the same run.

    python benchmarks/audit.py [--database URL] [--calls 100000] [--rounds 20] [--export 100000] [--keep | --use NAME]

Without --database it is SQLite in a folder made for the run, else a database made for the run on that PostgreSQL.
Pages are asked for through Django's own client: routing, middleware, queries and templates count, sockets do not.
"""

import argparse
import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.own_database import OwnDatabase, add_arguments  # noqa: E402 - the path comes first


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--export", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=5, help="of inserting")
    return parser.parse_args()


OPTIONS = _arguments()
OWN = OwnDatabase.of(OPTIONS, "audit")


@dataclass(frozen=True)
class Figure:
    """One line of the report. `naive` is what the same costs in the naive form, where there is one."""

    name: str
    value: str
    naive: str = ""
    ratio: str = ""


def say(text: str) -> None:
    print(text, flush=True)


def show(figure: Figure) -> None:
    say(f"{figure.name:44} {figure.value:>26} {figure.naive:>18} {figure.ratio:>8}")


def timed[Result](what: str, act: Callable[[], Result]) -> Result:
    started = time.perf_counter()
    result = act()
    say(f"{what}: {time.perf_counter() - started:.1f} s")
    return result


def main() -> None:
    random.seed(20)
    with OWN.opened():
        import django  # noqa: PLC0415 - the environment and the database come first

        django.setup()
        from benchmarks import audit_measures as measures  # noqa: PLC0415 - it needs Django
        from benchmarks import audit_seed  # noqa: PLC0415 - the same

        started = time.perf_counter()
        seeded = (
            timed("set-up and rows", lambda: audit_seed.seed(OPTIONS.calls, say)) if OWN.is_new else audit_seed.recall()
        )
        from connectors.api.warm_up import warm_up  # noqa: PLC0415 - the same

        warm_up()  # as a web process does before its first request
        say(f"\n{'':44} {'ours':>26} {'naive':>18} {'ratio':>8}")
        for part in (
            measures.sizes(),
            measures.inserts(seeded, OPTIONS.seconds),
            measures.pages(seeded, OPTIONS.rounds),
            measures.reads(seeded, OPTIONS.rounds),
            measures.exports(seeded, OPTIONS.export),
            measures.removals(OPTIONS.seconds),
        ):
            for name, value, naive, ratio in part:
                show(Figure(name, value, naive, ratio))
        say(f"\nthe whole run: {time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
