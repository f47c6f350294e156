"""The message catalogues: every text in code and templates, kept complete with Babel alone."""

import io
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import IO, Any

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir, extract_python
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

LOCALE = "zh_Hans"
_METHODS = [("**.py", "python"), ("**.html", "connectors.management.messages:extract_template")]
_OPTIONS = {"**.py": {"encoding": "utf-8"}, "**.html": {"encoding": "utf-8"}}
_KEYWORDS: dict[str, Any] = {
    **dict.fromkeys(("_", "gettext", "gettext_lazy", "gettext_noop"), None),
    **dict.fromkeys(("ngettext", "ngettext_lazy"), (1, 2)),
    **dict.fromkeys(("pgettext", "pgettext_lazy"), ((1, "c"), 2)),
    **dict.fromkeys(("npgettext", "npgettext_lazy"), ((1, "c"), 2, 3)),
}


def extract_template(
    file: IO[bytes], keywords: Any, comment_tags: Any, options: Any
) -> Generator[tuple[int, str | tuple[str, ...], list[str], str | None]]:
    """Babel extraction method: let Django turn a template into Python-like source, then extract from that."""
    source = templatize(file.read().decode(), origin=getattr(file, "name", None))
    # In brackets, because a template's indentation is none of Python's.
    yield from extract_python(io.BytesIO(f"({source}\n)".encode()), keywords, comment_tags, options)


def extract_catalog(root: Path) -> Catalog:
    """Return every text below `connectors/`, `poco/` and `templates/` of the project at `root`."""
    catalog = Catalog(project="poco-connectors", locale=LOCALE, charset="utf-8")
    for folder in ("connectors", "poco", "templates"):
        for name, line, message, comments, context in extract_from_dir(
            root / folder, method_map=_METHODS, options_map=_OPTIONS, keywords=_KEYWORDS
        ):
            place = (f"{folder}/{Path(name).as_posix()}", line)
            catalog.add(message, None, [place], auto_comments=comments, context=context)
    return catalog


def catalog_path(root: Path) -> Path:
    return root / "locale" / LOCALE / "LC_MESSAGES" / "django.po"


def read_catalog(root: Path) -> Catalog:
    with catalog_path(root).open("rb") as file:
        return read_po(file, locale=LOCALE)


def update_catalog(root: Path) -> None:
    """Bring the catalogue in step with the code: new texts empty, gone texts dropped, translations kept."""
    catalog = read_catalog(root)
    catalog.update(extract_catalog(root), no_fuzzy_matching=True, update_creation_date=False)
    catalog.obsolete.clear()
    catalog.fuzzy = False
    with catalog_path(root).open("wb") as file:
        write_po(file, catalog, sort_output=True, no_location=True, width=110, omit_header=False)


def untranslated(root: Path) -> Iterator[Message]:
    """Yield every text of the code that the catalogue lacks, leaves empty or marks fuzzy."""
    known = read_catalog(root)
    for message in extract_catalog(root):
        if not message.id:
            continue
        translated = known.get(message.id, message.context)
        if translated is None or translated.fuzzy or not _is_complete(translated):
            yield message


def _is_complete(message: Message) -> bool:
    texts = message.string if isinstance(message.string, (list, tuple)) else (message.string,)
    return all(texts)
