"""`check_package`: is this package right, and if not, everything that is wrong with it.

With `--run` its program is tried too, which is why this and not `packages/` knows the runtime.
"""

import argparse
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TextIO

from connectors.errors import Fault, Invalid
from connectors.management.authoring.exercise import Exercise
from connectors.management.authoring.exercise_package import exercise_package, read_configuration
from connectors.management.authoring.reading import (
    REFUSED,
    UNREADABLE,
    VALID,
    as_lines,
    author_language,
    in_words,
    open_any,
)
from connectors.packages.inspection import InspectedPackage

HELP = "Check a package (ZIP or folder). Exit code 0: valid, 1: refused, 2: unreadable."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", type=Path, help="the ZIP, or the folder that holds manifest.json")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    parser.add_argument("--run", action="store_true", help="try the operations of the package's program, offline")
    parser.add_argument(
        "--configuration", type=Path, metavar="FILE", help="with --run: a JSON file with a value for each field"
    )
    parser.add_argument("--locale", help="language of the messages: en or zh-CN; the shell's by default")


@dataclass(frozen=True, slots=True)
class Outcome:
    package: InspectedPackage | None
    errors: tuple[Fault, ...]
    exercise: Exercise

    @property
    def ok(self) -> bool:
        return not self.errors

    @property
    def warnings(self) -> tuple[Fault, ...]:
        return (*(self.package.warnings if self.package else ()), *self.exercise.warnings)


def run(options: argparse.Namespace, out: TextIO, err: TextIO) -> int:
    language = author_language(options.locale)
    try:
        outcome = _check(options)
    except OSError as error:
        print(f"{error.filename or options.path}: {error.strerror or error}", file=err)
        return UNREADABLE
    if options.json:
        print(json.dumps(_report(outcome, language), ensure_ascii=False, indent=2), file=out)
    else:
        print(_told(options.path, outcome, language), file=out)
    return VALID if outcome.ok else REFUSED


def _check(options: argparse.Namespace) -> Outcome:
    package: InspectedPackage | None = None
    try:
        package = open_any(options.path)
        if not options.run:
            return Outcome(package, (), Exercise())
        given = read_configuration(options.configuration, package) if options.configuration else None
    except Invalid as invalid:
        return Outcome(package, invalid.faults, Exercise())
    exercise = exercise_package(options.path, package, given)
    return Outcome(package, tuple(exercise.errors), exercise)


def _report(outcome: Outcome, language: str) -> dict[str, Any]:
    found = outcome.package
    return {
        "ok": outcome.ok,
        "key": found.manifest.key if found else None,
        "package_version": found.manifest.package_version if found else None,
        "manifest_revision": found.manifest_revision if found else None,
        "archive_sha256": (found.archive_sha256 or None) if found else None,
        "errors": [asdict(text) for text in in_words(outcome.errors, language)],
        "warnings": [asdict(text) for text in in_words(outcome.warnings, language)],
    }


def _told(path: Path, outcome: Outcome, language: str) -> str:
    chinese = language.lower().startswith("zh")
    lines = [f"  {tried.operation}: {tried.answer}, {tried.seconds:.2f} s" for tried in outcome.exercise.tried]
    if lines:
        lines.insert(0, "已运行：" if chinese else "Ran:")
    if outcome.warnings:
        lines += ["提醒：" if chinese else "Warnings:", as_lines(in_words(outcome.warnings, language))]
    if not outcome.ok:
        count = len(outcome.errors)
        title = f"{path}：拒绝，{count} 处错误" if chinese else f"{path}: refused, faults: {count}"
        return "\n".join([title, as_lines(in_words(outcome.errors, language)), *lines])
    return "\n".join([*_sound(outcome.package, chinese=chinese), *lines])


def _sound(package: InspectedPackage | None, *, chinese: bool) -> list[str]:
    assert package is not None  # nothing is wrong, so there is one
    name = f"{package.manifest.key} {package.manifest.package_version}"
    lines = [f"{name}：有效" if chinese else f"{name}: valid", f"  manifest_revision {package.manifest_revision}"]
    return [*lines, f"  archive_sha256    {package.archive_sha256}"] if package.archive_sha256 else lines
