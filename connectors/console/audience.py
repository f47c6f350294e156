"""How many people a choice of teams and people is, before it is saved."""

import re

from django.db.models import Q
from django.http import QueryDict

from connectors.access.models import User
from connectors.console.typed_ids import read_id

SUGGESTED = 200
_MOST_DIGITS = 18  # no id has more


def count_audience(chosen: QueryDict) -> int:
    """Return how many active people the visibility form, as typed so far, reaches."""
    active = User.objects.filter(is_active=True)
    if chosen.get("audience") != "chosen":
        return active.count()
    teams = [team for text in chosen.getlist("teams") if (team := read_id(text))]
    people = [text for text in chosen.getlist("people") if text.isdecimal() and len(text) <= _MOST_DIGITS]
    typed = re.split(r"[,;，；、\s]+", chosen.get("more_people", ""))
    named = Q(pk__in=people) | Q(username__in=typed)
    members = User.objects.filter(teams__in=teams).values("pk")
    return active.filter(named | Q(pk__in=members)).count()


def suggest_people() -> list[tuple[str, str]]:
    """Return (user name, name) of some people for a datalist; whom it leaves out can still be typed."""
    people = User.objects.filter(is_active=True).order_by("username")[:SUGGESTED]
    return [(person.username, person.name) for person in people]
