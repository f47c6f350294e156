"""`pack_package`: a folder made into a ZIP; the same files give the same bytes."""

import argparse
import tempfile
import zipfile
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
)
from connectors.packages.inspection import inspect_folder, inspect_package

HELP = "Check a package folder and pack it into a ZIP, the same bytes each time."
_INSIDE = (
    "{target}: inside the folder it packs; choose another place with -o",
    "{target}：位于被打包的目录内，请用 -o 另选位置",
)
_PACKED = (
    "Packed: {target}\n  manifest_revision {revision}\n  archive_sha256    {digest}",
    "已打包：{target}\n  manifest_revision {revision}\n  archive_sha256    {digest}",
)
_NO_DATE = (1980, 1, 1, 0, 0, 0)  # the oldest date a ZIP can hold
_REGULAR_FILE = 0o100644 << 16


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, help="the folder that holds manifest.json")
    parser.add_argument("-o", "--output", type=Path, help="the ZIP to write; <key>-<version>.zip by default")
    parser.add_argument("--locale", help="language of the messages: en or zh-CN; the shell's by default")


def run(options: argparse.Namespace, out: TextIO, err: TextIO) -> int:
    language = author_language(options.locale)
    try:
        package = inspect_folder(options.folder)
        target = options.output or Path(f"{package.manifest.key}-{package.manifest.package_version}.zip")
        if target.resolve().is_relative_to(options.folder.resolve()):
            print(in_language(_INSIDE, language).format(target=target), file=err)
            return UNREADABLE
        pack_folder(options.folder, sorted(file.path for file in package.files), target)
        packed = inspect_package(target)
    except Invalid as invalid:
        print(as_lines(in_words(invalid.faults, language)), file=err)
        return REFUSED
    except OSError as error:
        print(f"{error.filename or options.folder}: {error.strerror or error}", file=err)
        return UNREADABLE
    told = in_language(_PACKED, language)
    print(told.format(target=target, revision=packed.manifest_revision, digest=packed.archive_sha256), file=out)
    return VALID


def pack_folder(folder: Path, paths: list[str], target: Path) -> None:
    """Write `paths` of `folder` to `target`, whole or not at all."""
    with tempfile.NamedTemporaryFile(dir=target.parent, prefix=".packing-", delete=False) as scratch:
        written = Path(scratch.name)
        try:
            with zipfile.ZipFile(scratch, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
                for path in paths:
                    archive.writestr(_entry(path), (folder / path).read_bytes())
            written.chmod(0o644)
            written.replace(target)
        except BaseException:  # whatever ends it, an interrupt too: nothing half written stays, and it is raised on
            written.unlink(missing_ok=True)
            raise


def _entry(path: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(path, _NO_DATE)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.create_system = 3  # Unix, wherever this runs
    entry.external_attr = _REGULAR_FILE
    return entry
