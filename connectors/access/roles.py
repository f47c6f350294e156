"""The three roles: Django groups whose permissions are laid after every migration."""

from typing import Any

from django.contrib.auth.models import Group, Permission

ADMINISTRATOR = "administrator"
AUDITOR = "auditor"
USER = "user"

PERMISSIONS = {
    ADMINISTRATOR: ("manage_connectors", "manage_people", "view_audit"),
    AUDITOR: ("view_audit",),
    USER: (),
}


def ensure_roles(**_signal: Any) -> None:
    """Create the groups and give each exactly its permissions; safe to repeat."""
    for role, codenames in PERMISSIONS.items():
        group, _made = Group.objects.get_or_create(name=role)
        group.permissions.set(Permission.objects.filter(codename__in=codenames, content_type__app_label="connectors"))
