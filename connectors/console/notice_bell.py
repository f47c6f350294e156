"""The bell in the header: how many notices are new to the reader, looked up at most twice a minute a person."""

from functools import lru_cache, partial
from typing import Any, Final

from django.core.cache import cache
from django.http import HttpRequest

from connectors.access.models import User
from connectors.ledger.notices import count_new, mark_seen

SECONDS: Final = 30


def notice_bell(request: HttpRequest) -> dict[str, Any]:
    """Give every template `new_notices`, which is asked for only where it is shown."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {"new_notices": 0}
    return {"new_notices": lru_cache(1)(partial(_count, user))}


def silence(person: User) -> None:
    """The reader has looked: nothing is new until the next one."""
    mark_seen(person)
    cache.delete(_key(person))


def _count(person: User) -> int:
    return int(cache.get_or_set(_key(person), lambda: count_new(person), SECONDS) or 0)


def _key(person: User) -> str:
    return f"notices-new-{person.pk}"
