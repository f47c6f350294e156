"""Typed readers of environment variables.

Every reader also accepts NAME_FILE: a path whose content is the value, for secrets mounted as files.
A value that does not parse raises ImproperlyConfigured with the name and what would be right.
"""

import os
from pathlib import Path
from urllib.parse import SplitResult, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.core.exceptions import ImproperlyConfigured

_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"0", "false", "no", "off", ""}


def text(name: str, default: str = "") -> str:
    """Return the variable, or the content of the file that NAME_FILE names, stripped."""
    file = os.environ.get(f"{name}_FILE")
    if file and name in os.environ:
        msg = f"Set {name} or {name}_FILE, not both."
        raise ImproperlyConfigured(msg)
    if file:
        try:
            return Path(file).read_text(encoding="utf-8").strip()
        except OSError as error:
            msg = f"{name}_FILE points at {file!r}, which cannot be read: {error.strerror}."
            raise ImproperlyConfigured(msg) from error
    return os.environ.get(name, default).strip()


def boolean(name: str, *, default: bool = False) -> bool:
    """Return true for 1, true, yes, on; false for 0, false, no, off and the empty text."""
    value = text(name, "1" if default else "0").lower()
    if value in _TRUE:
        return True
    if value in _FALSE:
        return False
    msg = f"{name}={value!r} is neither yes nor no. Use 1 or 0."
    raise ImproperlyConfigured(msg)


def integer(name: str, default: int, *, minimum: int = 0, maximum: int | None = None) -> int:
    """Return a whole number within the inclusive range."""
    value = text(name, str(default))
    try:
        number = int(value)
    except ValueError as error:
        msg = f"{name}={value!r} is not a whole number."
        raise ImproperlyConfigured(msg) from error
    if number < minimum or (maximum is not None and number > maximum):
        upper = "" if maximum is None else f" and at most {maximum}"
        msg = f"{name}={number} is out of range: at least {minimum}{upper}."
        raise ImproperlyConfigured(msg)
    return number


def words(name: str, default: str = "") -> list[str]:
    """Return a comma-separated list without empty parts."""
    return [part.strip() for part in text(name, default).split(",") if part.strip()]


def choice(name: str, default: str, allowed: tuple[str, ...]) -> str:
    """Return one of the allowed words."""
    value = text(name, default)
    if value not in allowed:
        msg = f"{name}={value!r} is not one of {', '.join(allowed)}."
        raise ImproperlyConfigured(msg)
    return value


def time_zone(name: str, default: str) -> str:
    """Return the name of a time zone this machine knows."""
    value = text(name) or default
    try:
        ZoneInfo(value)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        msg = f"{name}={value!r} is no time zone. Use a name such as Europe/Berlin or Asia/Shanghai."
        raise ImproperlyConfigured(msg) from error
    return value


def web_address(name: str, value: str) -> SplitResult:
    """Return the parts of an http(s) address, which `value` must be."""
    try:
        parts = urlsplit(value)
        sound = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        sound = False
    if not sound:
        msg = f"{name}={value!r} must be an http(s) address such as https://connectors.example.com."
        raise ImproperlyConfigured(msg)
    return parts


def folder(name: str, default: Path) -> Path:
    """Return an absolute path; the folder need not exist yet."""
    return Path(text(name, str(default))).expanduser().resolve()
