"""`check_package`: is this package right, and if not, everything that is wrong with it."""

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from connectors.errors import Fault, Invalid
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
    parser.add_argument("--locale", help="language of the messages: en or zh-CN; the shell's by default")


def run(options: argparse.Namespace, out: TextIO, err: TextIO) -> int:
    language = author_language(options.locale)
    found: InspectedPackage | None = None
    faults: tuple[Fault, ...] = ()
    try:
        found = open_any(options.path)
    except Invalid as invalid:
        faults = invalid.faults
    except OSError as error:
        print(f"{options.path}: {error.strerror or error}", file=err)
        return UNREADABLE
    if options.json:
        print(json.dumps(_report(found, faults, language), ensure_ascii=False, indent=2), file=out)
    else:
        print(_told(options.path, found, faults, language), file=out)
    return VALID if found else REFUSED


def _report(found: InspectedPackage | None, faults: tuple[Fault, ...], language: str) -> dict[str, Any]:
    return {
        "ok": found is not None,
        "key": found.manifest.key if found else None,
        "package_version": found.manifest.package_version if found else None,
        "manifest_revision": found.manifest_revision if found else None,
        "archive_sha256": (found.archive_sha256 or None) if found else None,
        "errors": [asdict(text) for text in in_words(faults, language)],
        "warnings": [asdict(text) for text in in_words(found.warnings if found else (), language)],
    }


def _told(path: Path, found: InspectedPackage | None, faults: tuple[Fault, ...], language: str) -> str:
    chinese = language.lower().startswith("zh")
    if found is None:
        title = f"{path}：拒绝，{len(faults)} 处错误" if chinese else f"{path}: refused, faults: {len(faults)}"
        return f"{title}\n{as_lines(in_words(faults, language))}"
    name = f"{found.manifest.key} {found.manifest.package_version}"
    lines = [f"{name}：有效" if chinese else f"{name}: valid", f"  manifest_revision {found.manifest_revision}"]
    if found.archive_sha256:
        lines.append(f"  archive_sha256    {found.archive_sha256}")
    if found.warnings:
        lines += ["提醒：" if chinese else "Warnings:", as_lines(in_words(found.warnings, language))]
    return "\n".join(lines)
