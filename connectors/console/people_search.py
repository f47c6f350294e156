"""Finding people by user name or name, active ones first."""

from django.db.models import Q

from connectors.access.models import User


def search_people(wanted: str, *, most: int, active: bool = False) -> list[User]:
    """Return up to `most` people in whom every word occurs; without a word, the first of all."""
    people = User.objects.filter(is_active=True) if active else User.objects.all()
    for word in wanted.split()[:8]:
        named = Q(username__icontains=word) | Q(display_name__icontains=word)
        people = people.filter(named | Q(first_name__icontains=word) | Q(last_name__icontains=word))
    return list(people.order_by("-is_active", "username")[:most])
