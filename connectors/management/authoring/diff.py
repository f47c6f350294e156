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
    in_language,
    in_words,
    open_any,
)
from connectors.manifest.difference_words import describe_change
from connectors.packages.difference import compare_packages, describe_side
from connectors.packages.inspection import InspectedPackage

HELP = "Show what changes from one package to another, most dangerous first."
_MARKS = {"raised": "!!", "notable": " !", "plain": "  "}
_OTHER = ("!! another connector: {old} → {new}", "!! 不是同一个连接器：{old} → {new}")
_SAME = ("No difference.", "没有差异。")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("old", type=Path, help="ZIP or folder")
    parser.add_argument("new", type=Path, help="ZIP or folder")
    parser.add_argument("--locale", help="language of the messages: en or zh-CN; the shell's by default")


def run(options: argparse.Namespace, out: TextIO, err: TextIO) -> int:
    language = author_language(options.locale)
    opened: list[InspectedPackage] = []
    for path in (options.old, options.new):
        try:
            opened.append(open_any(path))
        except Invalid as invalid:
            print(f"{path}:\n{as_lines(in_words(invalid.faults, language))}", file=err)
            return REFUSED
        except OSError as error:
            print(f"{path}: {error.strerror or error}", file=err)
            return UNREADABLE
    old, new = opened
    print("\n".join(_lines(old, new, language)), file=out)
    return VALID


def _lines(old: InspectedPackage, new: InspectedPackage, language: str) -> Iterator[str]:
    if old.manifest.key != new.manifest.key:
        yield in_language(_OTHER, language).format(old=old.manifest.key, new=new.manifest.key)
    if old.manifest_revision == new.manifest_revision:
        yield in_language(_SAME, language)
        return
    for change in compare_packages(describe_side(old), describe_side(new)):
        yield f"{_MARKS[change.risk]} {describe_change(change, language)}"
