"""The one rule for what people write freely: how long it may be, and nothing in it that nobody can see.

SQLite keeps a NUL in a text, PostgreSQL refuses it; other controls turn up in exports and terminals. Ends of lines and
tabs are for texts of several lines. Knows no framework.
"""

import re
from typing import Final

from connectors.errors import Fault

# Controls other than a line's end and a tab, the marks that reorder what is read (Unicode TR 36, 3.2), half characters.
UNSHOWABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def text_faults(where: str, text: str, *, longest: int) -> list[Fault]:
    """Return what is wrong with a text of one or several lines; characters are counted as Unicode has them."""
    faults = []
    if len(text) > longest:
        faults.append(Fault("value_too_long", where, {"limit": longest, "length": len(text)}))
    if UNSHOWABLE.search(text):
        faults.append(Fault("text_unshowable", where))
    return faults
