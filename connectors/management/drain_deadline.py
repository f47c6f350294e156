"""The option that bounds how long a drain waits for runs."""

from argparse import ArgumentParser, ArgumentTypeError
from datetime import timedelta
from typing import Final

LONGEST_MINUTES: Final = 30 * 24 * 60


def add_deadline(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--end-runs-after",
        type=_minutes,
        metavar="MINUTES",
        help="with --drain: end the runs that are still open then; without it they are waited for without end",
    )


def _minutes(text: str) -> timedelta:
    minutes = int(text) if text.isdecimal() and len(text) <= len(str(LONGEST_MINUTES)) else 0
    if not 0 < minutes <= LONGEST_MINUTES:
        raise ArgumentTypeError(f"a whole number of minutes, {LONGEST_MINUTES} at most")
    return timedelta(minutes=minutes)
