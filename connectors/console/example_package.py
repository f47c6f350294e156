"""The packages an empty console offers: one that works beside `manage.py up`, and one for each kind of connector."""

import io
import json
import zipfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from django.conf import settings

import connectors.examples
from connectors.console.presentation import reader_language
from connectors.errors import NotFound
from connectors.manifest.texts import text_for
from connectors.packages.folder import list_folder

FIRST = "workbench"
_FOLDER = Path(connectors.examples.__file__).parent / "packages"
_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the same bytes each time, so that installing it twice is installing it once
_LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Example:
    """`runs` says that it works here as it is; the others are for looking at, their services do not exist."""

    key: str
    name: str
    description: str
    runs: bool


def list_examples() -> list[Example]:
    """Return every example in the reader's language, those that run first."""
    examples = [
        _describe(folder.name, reader_language()) for folder in sorted(_FOLDER.iterdir()) if _is_package(folder)
    ]
    return sorted(examples, key=lambda example: (example.key != FIRST, not example.runs, example.key))


def pack_example(key: str) -> tuple[str, bytes]:
    """Return a file name and the example as a ZIP; NotFound when there is no such example."""
    if key not in {folder.name for folder in _FOLDER.iterdir() if _is_package(folder)}:
        raise NotFound("example_not_found", key=key)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, file in list_folder(_FOLDER / key):
            archive.writestr(zipfile.ZipInfo(path, _LONG_AGO), file.read_bytes(), zipfile.ZIP_DEFLATED)
    return f"{key}-{_read(key)[0]['package_version']}.zip", packed.getvalue()


def prefill_example(key: str) -> str:
    """Return the query that fills in where the example server answers; empty for examples that do not use it."""
    document, _ = _read(key)
    addresses = {
        field["key"]: urlsplit(field["default"])._replace(netloc=f"{_LOOPBACK}:{settings.EXAMPLE_PORT}").geturl()
        for field in document["configuration"]["fields"]
        if field["type"] == "url" and urlsplit(field.get("default", "")).hostname == _LOOPBACK
    }
    return urlencode(addresses)


def _is_package(folder: Path) -> bool:
    return (folder / "manifest.json").is_file()


@cache
def _describe(key: str, language: str) -> Example:
    document, texts = _read(key)
    shown, default_locale = document["presentation"], document["default_locale"]
    name, description = (
        text_for(texts, shown[text], language=language, default_locale=default_locale)
        for text in ("name_key", "description_key")
    )
    return Example(key, name, description, runs=bool(prefill_example(key)) or key == "textbench")


@cache
def _read(key: str) -> tuple[dict[str, Any], dict[str, dict[str, str]]]:
    """Return the manifest and the texts; they are our own, and tests check them."""
    document = json.loads((_FOLDER / key / "manifest.json").read_text(encoding="utf-8"))
    locales = {path.stem: path for path in (_FOLDER / key / "locales").glob("*.json")}
    return document, {locale: json.loads(path.read_text(encoding="utf-8")) for locale, path in locales.items()}
