"""Every text the manifest names is there, in every language (handbook §4)."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from connectors.errors import Fault
from connectors.manifest.parts import Parts
from connectors.manifest.shape_faults import pointer

type Path = tuple[str | int, ...]
LONGEST_NAME = 200
LONGEST_TEXT = 10_000
_NAME = ("presentation", "name_key")
# Controls other than a line's end and a tab, and the marks that reorder what is read (Unicode TR 36, 3.2).
_REORDERING = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def check_texts(parts: Parts, texts: Mapping[str, Mapping[str, str]]) -> Iterator[Fault]:
    """Looks at the document itself, so that a part with another fault has its texts checked all the same."""
    locales = [locale for locale in parts.locales or () if locale in texts]
    for path, key in named_texts(parts.document):
        for locale in locales:
            text = texts[locale].get(key)
            if text is None:
                yield Fault("text_missing", pointer(path), {"key": key, "locale": locale})
            else:
                yield from (
                    Fault(code, pointer(path), {"key": key, "locale": locale, **more})
                    for code, more in _judge(path, text)
                )


def _judge(path: Path, text: str) -> Iterator[tuple[str, dict[str, int]]]:
    limit = LONGEST_NAME if path == _NAME else LONGEST_TEXT
    if not text.strip():
        yield "text_empty", {}
    elif len(text) > limit:
        yield "text_too_long", {"limit": limit}
    elif _REORDERING.search(text):
        yield "text_hides", {}


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
