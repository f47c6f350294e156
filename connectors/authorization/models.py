"""People's accounts at connectors."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models.functions import Lower
from uuid_utils.compat import uuid7

from connectors.vault.fields import SealedField


class Connection(models.Model):
    """One person's account at one connector; the alias tells several apart and is empty for the only one."""

    class State(models.TextChoices):
        ACTIVE = "active"
        REAUTHORIZATION_REQUIRED = "reauthorization_required"
        INSUFFICIENT_SCOPE = "insufficient_scope"
        UNREACHABLE = "unreachable"
        DISCONNECTING = "disconnecting"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="connections")
    connector = models.ForeignKey("Connector", on_delete=models.CASCADE, related_name="connections")
    alias = models.CharField(max_length=64, blank=True)
    state = models.CharField(max_length=24, choices=State, default=State.ACTIVE)
    external_account_id = models.CharField(max_length=255, blank=True)
    external_account_name = models.CharField(max_length=255, blank=True)
    avatar_url = models.CharField(max_length=2048, blank=True)
    granted_scopes = models.JSONField(default=list, blank=True)
    public_metadata = models.JSONField(default=dict, blank=True)
    authorization_fingerprint = models.CharField(max_length=64)
    grant_revision = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(auto_now_add=True)
    verified_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["created_at"]
        constraints: ClassVar = [
            models.UniqueConstraint("person", "connector", Lower("alias"), name="connection_alias_unique")
        ]

    def __str__(self) -> str:
        return self.alias or self.external_account_name or str(self.id)


class Credential(models.Model):
    """The sealed values of one connection, a JSON map; `fingerprint` tells two apart without telling what they are."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    connection = models.OneToOneField(Connection, on_delete=models.CASCADE, related_name="credential")
    sealed = SealedField(bound_to=("connection_id",))
    version = models.PositiveIntegerField(default=1)
    fingerprint = models.CharField(max_length=6)
    expires_at = models.DateTimeField(null=True, blank=True)
    refresh_expires_at = models.DateTimeField(null=True, blank=True)
    changed_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"version {self.version}"
