"""Name, locales and permission key (handbook §2)."""

from collections.abc import Iterable, Iterator

from connectors.errors import Fault
from connectors.manifest.parts import Parts


def repeated[T](items: Iterable[T]) -> Iterator[tuple[int, T]]:
    """Each item that was there before, with its position."""
    seen: set[T] = set()
    for index, item in enumerate(items):
        if item in seen:
            yield index, item
        seen.add(item)


def check_identity(parts: Parts) -> Iterator[Fault]:
    if parts.key and parts.permission_key is not None and parts.permission_key != f"feature.connector.{parts.key}":
        yield Fault("permission_key_mismatch", "/permission_key", {"expected": f"feature.connector.{parts.key}"})
    if parts.locales is None:
        return
    # Two tags that differ only in case would be one file on many systems.
    for index, _tag in repeated(tag.lower() for tag in parts.locales):
        yield Fault("locale_duplicate", f"/locales/{index}", {"locale": parts.locales[index]})
    if parts.default_locale and parts.default_locale not in parts.locales:
        yield Fault("default_locale_not_listed", "/default_locale", {"locale": parts.default_locale})
