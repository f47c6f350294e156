"""How much an SVG makes a browser draw: references can multiply a kilobyte into a page that never opens.

`<use>`, patterns, masks and their like draw what they refer to, which may refer on: ten references nine times over are
a billion shapes for everybody who opens a list with that icon. Scripts and loads a browser refuses; this it does not.
"""

import re
from dataclasses import dataclass, field
from xml.parsers import expat

MOST_DRAWN = 20_000
_DRAWS_ITS_HREF = {"use", "feimage", "pattern", "filter", "textpath"}
_FLAT = {"lineargradient", "radialgradient"}  # many shapes share one, and it draws nothing of its own
_URL = re.compile(r"""url\(\s*['"]?#([^'")\s]+)""")


class _TooMany(Exception):
    """More elements than are drawn, references not even followed; entities can make them out of nothing."""


@dataclass(slots=True)
class _Element:
    tag: str
    children: list[int] = field(default_factory=list)
    refers: list[str] = field(default_factory=list)


class _Reader:
    """Elements in document order, who contains and who refers to whom."""

    def __init__(self) -> None:
        self.elements: list[_Element] = []
        self.by_id: dict[str, int] = {}
        self.styled: list[str] = []
        self._open: list[int] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        tag = name.rpartition(":")[2].lower()
        element, number = _Element(tag), len(self.elements)
        if number == MOST_DRAWN:
            raise _TooMany
        for key, value in attributes.items():
            element.refers += _URL.findall(value)
            if key.rpartition(":")[2] == "href" and tag in _DRAWS_ITS_HREF and value.strip().startswith("#"):
                element.refers.append(value.strip()[1:])
        if self._open:
            self.elements[self._open[-1]].children.append(number)
        self.by_id.setdefault(attributes.get("id", ""), number)
        self.elements.append(element)
        self._open.append(number)

    def end(self, _name: str) -> None:
        self._open.pop()

    def text(self, data: str) -> None:
        if self._open and self.elements[self._open[-1]].tag == "style":
            self.styled += _URL.findall(data)


def count_drawn(content: bytes) -> int | None:
    """Return how many elements the drawing comes to, references followed, MOST_DRAWN + 1 for any more.

    None when it is not well-formed, so that no browser would draw it.
    """
    reader = _Reader()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = reader.start, reader.end
    parser.CharacterDataHandler = reader.text
    try:
        parser.Parse(content, True)
    except expat.ExpatError:
        return None
    except _TooMany:
        return MOST_DRAWN + 1
    return _count(reader)


def _count(reader: _Reader) -> int:
    """Add up without recursion; what refers to itself draws nothing more, as in a browser."""
    styled = [number for one in reader.styled if (number := reader.by_id.get(one)) is not None]
    styles = [number for number in styled if reader.elements[number].tag not in _FLAT]
    drawn: dict[int, int] = {}
    waiting = [(0, False)]
    under_way: set[int] = set()
    while waiting:
        number, counted = waiting.pop()
        parts = _parts(reader, number, styles)
        if counted:
            under_way.discard(number)
            drawn[number] = min(1 + sum(drawn.get(part, 0) for part in parts), MOST_DRAWN + 1)
        elif number not in drawn and number not in under_way:
            under_way.add(number)
            waiting += [(number, True), *((part, False) for part in parts)]
    return drawn[0]


def _parts(reader: _Reader, number: int, styles: list[int]) -> list[int]:
    element = reader.elements[number]
    referred = [found for one in element.refers if (found := reader.by_id.get(one)) is not None]
    return [*element.children, *(one for one in referred if reader.elements[one].tag not in _FLAT), *styles[:20]]
