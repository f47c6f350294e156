"""`poco-package`: the author's commands for a machine that has no console."""

import argparse
import sys
from collections.abc import Sequence

from connectors.management.authoring import check, diff, new, pack, run
from connectors.management.authoring.act import AuthorAct

ACTS: dict[str, AuthorAct] = {"check": check, "pack": pack, "new": new, "diff": diff, "run": run}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="poco-package", description="Make and check connector packages.")
    chosen = parser.add_subparsers(dest="act", required=True, metavar="COMMAND")
    for name, act in ACTS.items():
        act.add_arguments(chosen.add_parser(name, help=act.HELP, description=act.HELP))
    options = parser.parse_args(arguments)
    return ACTS[options.act].run(options, sys.stdout, sys.stderr)
