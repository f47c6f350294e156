"""People, their teams, and the agents that act for them."""

from typing import ClassVar

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models.functions import Lower
from uuid_utils.compat import uuid7


class User(AbstractUser):
    """A person. `epoch` rises whenever something that only this person's agents may see has changed."""

    display_name = models.CharField(max_length=150, blank=True)
    language = models.CharField(max_length=10, blank=True)
    time_zone = models.CharField(max_length=64, blank=True)
    theme = models.CharField(max_length=6, default="system", choices=[(t, t) for t in ("system", "light", "dark")])
    epoch = models.PositiveBigIntegerField(default=0)

    class Meta:
        permissions: ClassVar = [("manage_people", "Manage people and teams")]
        ordering: ClassVar = ["username"]

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        return self.display_name or self.get_full_name() or self.username


class Team(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    name = models.CharField(max_length=100, unique=True)
    members = models.ManyToManyField(User, related_name="teams", blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["name"]

    def __str__(self) -> str:
        return self.name


class Agent(models.Model):
    """What holds a token and acts for its owner. It may use nothing until it is granted a connection."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    owner = models.ForeignKey(User, on_delete=models.CASCADE, related_name="agents")
    name = models.CharField(max_length=100)
    created_at = models.DateTimeField(auto_now_add=True)
    retired_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["name"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                "owner",
                Lower("name"),
                condition=models.Q(retired_at=None),
                name="agent_name_unique_per_owner",
            )
        ]

    def __str__(self) -> str:
        return self.name


class AgentToken(models.Model):
    """A bearer token, kept as SHA-256 (hex) of the text that was shown once; `hint` is its last four characters."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="tokens")
    digest = models.CharField(max_length=64, unique=True)
    hint = models.CharField(max_length=4)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-created_at"]

    def __str__(self) -> str:
        return f"…{self.hint}"


class Epoch(models.Model):
    """A counter that rises in the same transaction as any change everybody's snapshot depends on."""

    CATALOGUE = "catalogue"

    scope = models.CharField(primary_key=True, max_length=32)
    value = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.scope} {self.value}"


class SignInLink(models.Model):
    """A one-time sign-in, kept as SHA-256 (hex) of the text in the link."""

    digest = models.CharField(primary_key=True, max_length=64)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"for {self.user}"
