"""What each author's command is: some options, and a run that writes to two streams and returns an exit code."""

import argparse
from typing import Protocol, TextIO


class AuthorAct(Protocol):
    HELP: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, options: argparse.Namespace, out: TextIO, err: TextIO) -> int: ...
