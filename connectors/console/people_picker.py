"""Choosing people by search: those already ticked stay in sight, those found stand below them."""

from dataclasses import dataclass

from django.http import QueryDict

from connectors.access.models import User
from connectors.console.people_search import search_people

MOST_FOUND = 20
MOST_TICKED = 500
_MOST_DIGITS = 18  # no id is longer, and Python reads no number of thousands of digits


@dataclass(frozen=True, slots=True)
class Picker:
    """`more` says that the search found others too, who are not listed."""

    ticked: tuple[User, ...]
    found: tuple[User, ...]
    wanted: str
    more: bool = False


def draw_picker(ticked: list[User], wanted: str) -> Picker:
    """Return the people ticked, and those a search finds beside them; without a search nobody is found."""
    wanted = wanted.strip()[:100]
    if not wanted:
        return Picker(tuple(ticked), (), "")
    known = {person.pk for person in ticked}
    matches = search_people(wanted, most=MOST_FOUND + len(known) + 1, active=True)
    found = [person for person in matches if person.pk not in known]
    return Picker(tuple(ticked), tuple(found[:MOST_FOUND]), wanted, more=len(found) > MOST_FOUND)


def read_ticked(data: QueryDict) -> list[User]:
    """Return the people whose boxes were sent ticked."""
    ids = [int(text) for text in data.getlist("people")[:MOST_TICKED] if text.isdecimal() and len(text) <= _MOST_DIGITS]
    return list(User.objects.filter(pk__in=ids))
