"""Characters that hide or reorder what a reader sees (Unicode TR 36, 3.2; CVE-2021-42574)."""

import unicodedata

_HIDING = {"Cc", "Cf", "Zl", "Zp"}


def show_hidden(text: str) -> str:
    """Write such characters out, as in \\\\u202e; line feeds and tabs stay."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(letter if _is_seen(letter) else f"\\u{ord(letter):04x}" for letter in text)


def _is_seen(letter: str) -> bool:
    return letter in "\n\t" or unicodedata.category(letter) not in _HIDING
