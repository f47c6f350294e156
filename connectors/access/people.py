"""Create people, change their role, deactivate and reactivate them. The last administrator stays one."""

from typing import Any

from django.contrib.auth.models import Group
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction

from connectors.access.epoch import bump_person
from connectors.access.models import SignInLink, User
from connectors.access.names import parse_name
from connectors.access.roles import ADMINISTRATOR, PERMISSIONS
from connectors.audit.recording import record_admin_event
from connectors.errors import Conflict, Fault, Invalid, Refused


def create_person(
    *, username: str, role: str, actor: User | None, display_name: str = "", email: str = "", language: str = ""
) -> User:
    """Return a new person without a password: they sign in by a one-time link, then set one, or by single sign-on."""
    person = _parse_person(username, display_name=display_name, email=email, role=role)
    person.language = language
    person.set_unusable_password()
    try:
        with transaction.atomic():
            person.save()
            person.groups.set([Group.objects.get(name=role)])
            _record("person_created", person, actor, after={"role": role, "display_name": person.display_name})
    except IntegrityError as error:
        raise Conflict("username_taken", username=person.username) from error
    return person


@transaction.atomic
def set_role(*, person: User, role: str, actor: User | None) -> User:
    """Give a person exactly one of the three roles."""
    if role not in PERMISSIONS:
        raise Invalid([Fault("role_unknown", "role")])
    current = _lock(person)
    before = role_of(current)
    if before == role:
        return current
    if before == ADMINISTRATOR:
        _keep_one_administrator(current)
    current.groups.remove(*Group.objects.filter(name__in=PERMISSIONS))
    current.groups.add(Group.objects.get(name=role))
    bump_person(current.pk)
    _record("role_set", current, actor, before={"role": before}, after={"role": role})
    return current


@transaction.atomic
def deactivate_person(*, person: User, actor: User | None) -> User:
    """Shut a person out at once: sessions, sign-in links and every agent's token; nothing of theirs is deleted."""
    current = _lock(person)
    if current.is_active:
        _keep_one_administrator(current)
        current.is_active = False
        current.save(update_fields=["is_active"])
        SignInLink.objects.filter(user=current).delete()
        bump_person(current.pk)
        _record("person_deactivated", current, actor)
    return current


@transaction.atomic
def activate_person(*, person: User, actor: User | None) -> User:
    """Let a person in again, with the agents and connections they had."""
    current = _lock(person)
    if not current.is_active:
        current.is_active = True
        current.save(update_fields=["is_active"])
        bump_person(current.pk)
        _record("person_activated", current, actor)
    return current


def role_of(person: User) -> str:
    """Return the highest role a person holds, or an empty text."""
    held = {group.name for group in person.groups.all()}
    return next((role for role in PERMISSIONS if role in held), "")


def _parse_person(username: str, *, display_name: str, email: str, role: str) -> User:
    """Return an unsaved person, or raise `Invalid` with every fault at once."""
    username, email = username.strip(), email.strip()
    faults = []
    try:
        UnicodeUsernameValidator()(username)
    except ValidationError:
        faults.append(Fault("username_invalid", "username"))
    if len(username) > 150:  # noqa: PLR2004 - the column's width
        faults.append(Fault("username_invalid", "username"))
    if email:
        try:
            validate_email(email)
        except ValidationError:
            faults.append(Fault("email_invalid", "email"))
    if role not in PERMISSIONS:
        faults.append(Fault("role_unknown", "role"))
    try:
        display_name = parse_name(display_name, where="display_name", longest=150) if display_name.strip() else ""
    except Invalid as error:
        faults.extend(error.faults)
    if faults:
        raise Invalid(faults)
    return User(username=username, display_name=display_name, email=email)


def _lock(person: User) -> User:
    """Return the person as they are now; acts on administrators queue up behind the group's row."""
    Group.objects.select_for_update().get(name=ADMINISTRATOR)
    return User.objects.select_for_update().get(pk=person.pk)


def _keep_one_administrator(person: User) -> None:
    administrators = User.objects.filter(groups__name=ADMINISTRATOR, is_active=True)
    if administrators.filter(pk=person.pk).exists() and not administrators.exclude(pk=person.pk).exists():
        raise Refused("last_administrator", name=person.name)


def _record(
    act: str,
    person: User,
    actor: User | None,
    *,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> None:
    record_admin_event(
        actor=actor,
        act=act,
        target_kind="person",
        target_id=str(person.pk),
        target_name=person.name,
        before=before or {},
        after=after or {},
    )
