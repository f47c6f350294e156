"""Looking at the catalogue as a person sees it: an administrator's look, which is itself an act in the log."""

from django.db import transaction

from connectors.access.models import User
from connectors.audit.recording import record_admin_event
from connectors.errors import NotFound


def find_person(person_id: int) -> User:
    """Return a person, active or not, or raise NotFound."""
    person = User.objects.filter(pk=person_id).first()
    if person is None:
        raise NotFound("person_not_found")
    return person


@transaction.atomic
def record_viewing(*, person: User, page: str, actor: User) -> None:
    """Note that an administrator looked at `page` as this person sees it. Nobody acts as anybody by it."""
    record_admin_event(
        actor=actor,
        act="viewed_as",
        target_kind="person",
        target_id=person.pk,
        target_name=person.username,
        after={"page": page},
    )
