"""The one rule for names people give: agents, teams, themselves."""

from connectors.errors import Fault, Invalid


def parse_name(text: str, *, where: str = "name", longest: int = 100) -> str:
    """Return the name without outer blanks: 1 to `longest` printable characters, or raise `Invalid`."""
    name = " ".join(text.split())
    if not name or len(name) > longest or not name.isprintable():
        raise Invalid([Fault("name_invalid", where, {"longest": longest})])
    return name
