"""Characters that hide or reorder what a reader sees (Unicode TR 36, 3.2; CVE-2021-42574). Knows no framework."""

import unicodedata

# What is refused where a package names something: controls, zero widths, and every mark of direction.
HIDING = "\\x00-\\x1f\\x7f-\\x9f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff"
_HIDING_CATEGORIES = {"Cc", "Cf", "Zl", "Zp"}


def show_hidden(text: str, *, but: str = "") -> str:
    """Write such characters out, as in \\u202e, all `but` those named."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(letter if letter in but or not _hides(letter) else f"\\u{ord(letter):04x}" for letter in text)


def _hides(letter: str) -> bool:
    return unicodedata.category(letter) in _HIDING_CATEGORIES
