"""The three roles: Django groups whose permissions are laid after every migration."""

from typing import Any

from django.apps import apps
from django.contrib.auth.management import create_permissions
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
    """Create the groups and give each exactly its permissions; safe to repeat.

    Django lays the permissions after a migration as well, but later than us, so they are laid here first.
    """
    create_permissions(apps.get_app_config("connectors"), verbosity=0)
    for role, codenames in PERMISSIONS.items():
        group, _made = Group.objects.get_or_create(name=role)
        group.permissions.set(Permission.objects.filter(codename__in=codenames, content_type__app_label="connectors"))
