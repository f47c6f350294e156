"""Every text the manifest names is there, in every language (handbook §4)."""

from collections.abc import Iterator, Mapping
from typing import Any

from connectors.errors import Fault
from connectors.manifest.parts import Parts
from connectors.manifest.shape_faults import pointer

type Path = tuple[str | int, ...]


def check_texts(parts: Parts, texts: Mapping[str, Mapping[str, str]]) -> Iterator[Fault]:
    """Looks at the document itself, so that a part with another fault has its texts checked all the same."""
    locales = [locale for locale in parts.locales or () if locale in texts]
    for path, key in named_texts(parts.document):
        for locale in locales:
            text = texts[locale].get(key)
            if text is None:
                yield Fault("text_missing", pointer(path), {"key": key, "locale": locale})
            elif not text.strip():
                yield Fault("text_empty", pointer(path), {"key": key, "locale": locale})


def named_texts(value: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Each `*_key` of the manifest with its place. `permission_key` is the one such key that names no text."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from named_texts(item, (*path, index))
    if not isinstance(value, dict):
        return
    for name, item in value.items():
        if not name.endswith("_key") or name == "permission_key":
            yield from named_texts(item, (*path, name))
        elif isinstance(item, str) and item:
            yield (*path, name), item
