"""What an agent may use of a connection."""

from typing import ClassVar

from django.db import models
from uuid_utils.compat import uuid7


class Grant(models.Model):
    """No row, no use. `tools` names policy tool keys (`tool` or `server/tool`) and counts when `breadth` is some."""

    class Breadth(models.TextChoices):
        ALL = "all"
        SOME = "some"
        NONE = "none"

    class Access(models.TextChoices):
        READ_ONLY = "read_only"
        READ_WRITE = "read_write"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    agent = models.ForeignKey("Agent", on_delete=models.CASCADE, related_name="grants")
    connection = models.ForeignKey("Connection", on_delete=models.CASCADE, related_name="grants")
    breadth = models.CharField(max_length=4, choices=Breadth, default=Breadth.ALL)
    access = models.CharField(max_length=10, choices=Access, default=Access.READ_ONLY)
    tools = models.JSONField(default=list, blank=True)
    granted_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["agent", "connection"], name="grant_unique")]

    def __str__(self) -> str:
        return f"{self.breadth} {self.access}"
