"""The texts of a package: one flat JSON map of strings a language (handbook §4)."""

from collections.abc import Iterable
from typing import Any

from connectors.errors import Fault
from connectors.manifest.strict_json import JsonFault, parse_strict
from connectors.packages.contents import Contents
from connectors.packages.limits import MAX_LOCALE_BYTES, MAX_TEXTS_BYTES, size_text

_ESCAPES = str.maketrans({"~": "~0", "/": "~1"})  # RFC 6901


def locale_paths(contents: Contents, locales: Iterable[str] | None) -> dict[str, str]:
    """Return {locale: path} of the declared files that are there; of all that are there when none could be read."""
    if locales is None:
        paths = (path for path in contents.files if path.startswith("locales/") and path.endswith(".json"))
        return {path.removeprefix("locales/").removesuffix(".json"): path for path in paths}
    declared = {locale: f"locales/{locale}.json" for locale in locales}
    return {locale: path for locale, path in declared.items() if path in contents.files}


def read_texts(contents: Contents, locales: Iterable[str] | None) -> tuple[dict[str, dict[str, str]], list[Fault]]:
    """Return {locale: {key: text}} of every file that is sound, and the faults of those that are not."""
    paths = locale_paths(contents, locales)
    if sum(contents.files[path].size for path in paths.values()) > MAX_TEXTS_BYTES:
        return {}, [Fault("locales_too_large", "locales", {"limit": size_text(MAX_TEXTS_BYTES)})]
    texts: dict[str, dict[str, str]] = {}
    faults: list[Fault] = []
    for locale, path in paths.items():
        try:
            found = parse_strict(contents.read(path, limit=MAX_LOCALE_BYTES), max_bytes=MAX_LOCALE_BYTES)
        except JsonFault as broken:
            faults.append(broken.fault(path))
            continue
        if wrong := _shape_faults(path, found):
            faults += wrong
        else:
            texts[locale] = found
    return texts, faults


def _shape_faults(path: str, found: Any) -> list[Fault]:
    if not isinstance(found, dict):
        return [Fault("locale_not_map", path)]
    return [
        Fault("locale_value_not_text", f"{path}#/{key.translate(_ESCAPES)}", {"key": key})
        for key, value in found.items()
        if not isinstance(value, str)
    ]
