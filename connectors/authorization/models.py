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
    missing_scopes = models.JSONField(default=list, blank=True)  # asked for, and not granted
    needed_scopes = models.JSONField(default=list, blank=True)  # wanted by calls, and never asked for
    unreachable_since = models.DateTimeField(null=True, blank=True)  # while its state says so
    unreachable_stage = models.CharField(max_length=16, blank=True)  # how far the last try got
    public_metadata = models.JSONField(default=dict, blank=True)
    authorization_fingerprint = models.CharField(max_length=64)
    grant_revision = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(auto_now_add=True)
    verified_at = models.DateTimeField(null=True, blank=True)
    noticed_at = models.DateTimeField(null=True, blank=True)  # when its owner was last told that it needs them
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["created_at"]
        constraints: ClassVar = [
            models.UniqueConstraint("person", "connector", Lower("alias"), name="connection_alias_unique")
        ]

    def __str__(self) -> str:
        return self.alias or self.external_account_name or str(self.id)


class ConnectionAvatar(models.Model):
    """The picture of an account, fetched once when it was authorized; its digest is its address."""

    connection = models.OneToOneField(Connection, on_delete=models.CASCADE, related_name="avatar", primary_key=True)
    media_type = models.CharField(max_length=32)
    content = models.BinaryField()
    digest = models.CharField(max_length=64, db_index=True)

    def __str__(self) -> str:
        return self.digest


class Credential(models.Model):
    """The sealed values of one connection, a JSON map; `fingerprint` tells two apart without telling what they are."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    connection = models.OneToOneField(Connection, on_delete=models.CASCADE, related_name="credential")
    sealed = SealedField(bound_to=("connection_id",))
    version = models.PositiveIntegerField(default=1)
    fingerprint = models.CharField(max_length=6)
    expires_at = models.DateTimeField(null=True, blank=True)
    refresh_expires_at = models.DateTimeField(null=True, blank=True)
    # What a standard OAuth refresh needs to know (`oauth_grant.OAuthGrant`); none for other strategies.
    grant = SealedField(null=True, bound_to=("connection_id",))
    # Whether it could be refreshed when it was set: what people are told, without opening it.
    renewable = models.BooleanField(default=False)
    changed_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"version {self.version}"


class AuthorizationSession(models.Model):
    """One attempt to sign in at a service and come back: used once, for ten minutes, by who began it, where they did.

    `sealed` holds what only the callback may know (PKCE verifier, a program's private context), or, while a person is
    asked whether another account is meant, the account; it is wiped when the attempt ends.
    """

    class Status(models.TextChoices):
        PENDING = "pending"
        EXCHANGING = "exchanging"
        ASKING = "asking"  # it came back as another account: its owner decides
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

    class Intent(models.TextChoices):
        CONNECT = "connect"
        REAUTHORIZE = "reauthorize"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    state_digest = models.CharField(max_length=64, unique=True)
    browser_digest = models.CharField(max_length=64)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    connector = models.ForeignKey("Connector", on_delete=models.CASCADE, related_name="authorization_sessions")
    configuration_revision = models.PositiveIntegerField()
    authorization_fingerprint = models.CharField(max_length=64)
    version_id = models.UUIDField()  # of the package: a callback never meets another program than its beginning
    intent = models.CharField(max_length=12, choices=Intent, default=Intent.CONNECT)
    alias = models.CharField(max_length=64, blank=True)
    # The account that is authorized again, or that came of it.
    connection = models.ForeignKey(Connection, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    endpoints = models.JSONField(default=dict, blank=True)  # the issuer's, as found when it began
    sealed = SealedField(bound_to=("person_id", "connector_id"), null=True)
    status = models.CharField(max_length=12, choices=Status, default=Status.PENDING)
    outcome = models.CharField(max_length=64, blank=True)  # an error's code
    outcome_parameters = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(db_index=True)
    used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.intent} {self.status}"


class RegisteredClient(models.Model):
    """What an authorization server gave us when we registered with it (RFC 7591): kept for its issuer alone."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    connector = models.ForeignKey("Connector", on_delete=models.CASCADE, related_name="+")
    issuer = models.CharField(max_length=2048)
    redirect_uri = models.CharField(max_length=2048)
    client_id = models.CharField(max_length=2048)
    method = models.CharField(max_length=32)
    sealed = SealedField(bound_to=("connector_id", "issuer"), null=True)  # its secret; a public client has none
    expires_at = models.DateTimeField(null=True, blank=True)
    registered_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["connector", "issuer", "redirect_uri"], name="registered_client_unique")
        ]

    def __str__(self) -> str:
        return self.client_id


class RefreshLease(models.Model):
    """When a credential is next refreshed, and who is refreshing it now: one refresh per grant (safety §34).

    A holder that lives gives the lease back; one found expired died on the way, and nobody knows whether its request
    was answered: that is doubt.
    """

    connection = models.OneToOneField(
        Connection, on_delete=models.CASCADE, related_name="refresh_lease", primary_key=True
    )
    due_at = models.DateTimeField(null=True, blank=True, db_index=True)  # none: only when a call asks for it
    owner = models.UUIDField(null=True, blank=True)
    held_since = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    doubtful_since = models.DateTimeField(null=True, blank=True)
    cooldown_until = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)  # failed ones in a row
    failing_since = models.DateTimeField(null=True, blank=True)  # when the first of these failed
    failure = models.CharField(max_length=64, blank=True)

    def __str__(self) -> str:
        return f"held since {self.held_since}" if self.owner else f"due {self.due_at}"


class RevocationJob(models.Model):
    """A credential to be revoked at its service after it has left this house; it needs no other row but its package.

    One that gave up keeps neither: only that it happened, for people to see.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    connector_key = models.CharField(max_length=64)
    version = models.ForeignKey("PackageVersion", on_delete=models.PROTECT, null=True, related_name="+")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    account = models.CharField(max_length=255, blank=True)  # how its owner knew it
    sealed = SealedField(null=True)
    due_at = models.DateTimeField(null=True, blank=True, db_index=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    failure = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    gives_up_at = models.DateTimeField()
    gave_up_at = models.DateTimeField(null=True, blank=True, db_index=True)

    def __str__(self) -> str:
        return f"{self.connector_key}, {self.attempts} attempts"
