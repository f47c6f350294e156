"""What is installed: immutable package versions, and the connectors that point at them."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from uuid_utils.compat import uuid7

from connectors.access.models import Team
from connectors.vault.fields import SealedField


class Category(models.Model):
    """Made when a manifest first names it; `names` maps a language to what people read.

    A merged category stays, empty and out of sight: a manifest that names it means the one it was merged into.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    key = models.CharField(max_length=64, unique=True)
    names = models.JSONField(default=dict, blank=True)
    icon = models.CharField(max_length=64, blank=True)  # one of `categories.ICONS`
    position = models.PositiveIntegerField(default=0)
    merged_into = models.ForeignKey("self", on_delete=models.PROTECT, null=True, blank=True, related_name="merged")

    class Meta:
        ordering: ClassVar = ["position", "key"]

    def __str__(self) -> str:
        return self.key

    def display_name(self, language: str) -> str:
        """Return what people call it: its name in their language, else in another, else a readable form of its key."""
        names: dict[str, str] = self.names
        name = names.get(language) or names.get(language.partition("-")[0]) or next(iter(names.values()), "")
        return name or self.key.replace("_", " ").replace("-", " ").capitalize()


class Connector(models.Model):
    class Status(models.TextChoices):
        DRAFT = "draft"
        PUBLISHED = "published"
        DISABLED = "disabled"

    class Transition(models.TextChoices):
        """What an administrator began and time will end; `locking` refuses what does not go with it."""

        NONE = ""
        DRAINING = "draining"  # no new runs, sign-ins and refreshes until the change that waits is made
        REMOVING = "removing"  # out of use for good

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    key = models.CharField(max_length=64, unique=True)
    status = models.CharField(max_length=10, choices=Status, default=Status.DRAFT)
    transition = models.CharField(max_length=8, choices=Transition, default=Transition.NONE, blank=True)
    version = models.ForeignKey("PackageVersion", on_delete=models.PROTECT, related_name="+")
    category = models.ForeignKey(Category, on_delete=models.PROTECT, related_name="connectors")
    category_overridden = models.BooleanField(default=False)  # chosen by an administrator: an update keeps it
    position = models.PositiveIntegerField(default=0)  # within its category
    configuration = models.JSONField(default=dict, blank=True)  # public values only; secrets have rows of their own
    configuration_revision = models.PositiveIntegerField(default=1)
    capture_days = models.PositiveSmallIntegerField(default=0)  # how long what calls say is kept; 0: it is not
    authorization_fingerprint = models.CharField(max_length=64)
    everyone = models.BooleanField(default=True)
    teams = models.ManyToManyField(Team, related_name="connectors", blank=True)
    people = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="+", blank=True)
    installed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    installed_at = models.DateTimeField(auto_now_add=True)
    published_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["position", "key"]
        permissions: ClassVar = [("manage_connectors", "Install, configure and publish connectors")]

    def __str__(self) -> str:
        return self.key


class PackageVersion(models.Model):
    """One package as it was installed; never changed, never overwritten."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    key = models.CharField(max_length=64)
    version = models.CharField(max_length=32)
    manifest_revision = models.CharField(max_length=64)
    archive_sha256 = models.CharField(max_length=64)
    archive_size = models.PositiveBigIntegerField()
    object_key = models.CharField(max_length=255, unique=True)
    manifest = models.JSONField()
    texts = models.JSONField()  # {locale: {key: text}}
    skills = models.JSONField(default=list)  # [{key, path, name, description, digest}]
    installed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    installed_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["-installed_at"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["key", "version"], name="package_version_unique"),
            models.UniqueConstraint(fields=["key", "manifest_revision"], name="package_revision_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.key} {self.version}"


class PackageIcon(models.Model):
    version = models.OneToOneField(PackageVersion, on_delete=models.CASCADE, related_name="icon", primary_key=True)
    digest = models.CharField(max_length=64, db_index=True)
    media_type = models.CharField(max_length=64)
    content = models.BinaryField()

    def __str__(self) -> str:
        return self.digest


class ConfigurationSecret(models.Model):
    """A sealed configuration value, bound to this row and its field; it is opened, never shown."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    connector = models.ForeignKey(Connector, on_delete=models.CASCADE, related_name="secrets")
    field = models.CharField(max_length=64)
    sealed = SealedField(bound_to=("connector_id", "field"))
    set_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    set_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["connector", "field"], name="configuration_secret_unique")
        ]

    def __str__(self) -> str:
        return self.field
