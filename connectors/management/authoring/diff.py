"""`diff_package`: what an update from one package to another would change, most dangerous first."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from connectors.errors import Invalid
from connectors.management.authoring.reading import (
    REFUSED,
    UNREADABLE,
    VALID,
    as_lines,
    author_language,
    in_words,
    open_any,
)
from connectors.manifest.difference import Change, compare_manifests
from connectors.packages.inspection import InspectedPackage

HELP = "Show what changes from one package to another, most dangerous first."
_MARKS = {"raised": "!!", "notable": " !", "plain": "  "}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("old", type=Path, help="ZIP or folder")
    parser.add_argument("new", type=Path, help="ZIP or folder")
    parser.add_argument("--locale", help="language of the messages: en or zh-CN; the shell's by default")


def run(options: argparse.Namespace, out: TextIO, err: TextIO) -> int:
    opened: list[InspectedPackage] = []
    for path in (options.old, options.new):
        try:
            opened.append(open_any(path))
        except Invalid as invalid:
            print(f"{path}:\n{as_lines(in_words(invalid.faults, author_language(options.locale)))}", file=err)
            return REFUSED
        except OSError as error:
            print(f"{path}: {error.strerror or error}", file=err)
            return UNREADABLE
    old, new = opened
    print("\n".join(_lines(old, new)), file=out)
    return VALID


def _lines(old: InspectedPackage, new: InspectedPackage) -> Iterator[str]:
    if old.manifest.key != new.manifest.key:
        yield f"!! another connector: {old.manifest.key} -> {new.manifest.key}"
    if old.manifest_revision == new.manifest_revision:
        yield "No difference."
        return
    yield from (_line(change) for change in compare_manifests(old.manifest, new.manifest))
    yield from _file_lines(old, new)


def _line(change: Change) -> str:
    values = f": {change.before or '-'} -> {change.after or '-'}" if change.before or change.after else ""
    return f"{_MARKS[change.risk]} {change.kind.replace('_', ' ')} {change.subject}".rstrip() + values


def _file_lines(old: InspectedPackage, new: InspectedPackage) -> Iterator[str]:
    """Program source first: it is code that will run."""
    before = {file.path: file.digest for file in old.files}
    after = {file.path: file.digest for file in new.files}
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    for path in sorted(changed, key=lambda path: (not path.startswith("provider/"), path)):
        act = "file added" if path not in before else "file removed" if path not in after else "file changed"
        yield f"{' !' if path.startswith('provider/') else '  '} {act} {path}"
