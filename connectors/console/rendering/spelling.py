"""A name that an agent made up, as it can be read: what is invisible or turns the reading order is spelled out."""

import re
from typing import Final

_ENDS: Final = re.compile(r"^ | $")


def spell(name: str) -> str:
    """Return the name with every character that shows nothing as its escape, and blanks at an end in quotes."""
    if name.isprintable() and not _ENDS.search(name):
        return name
    spelled = "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in name)
    return f"“{spelled}”" if _ENDS.search(name) else spelled
