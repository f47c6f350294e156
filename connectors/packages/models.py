"""Uploads that wait to be committed."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from uuid_utils.compat import uuid7


class StagedPackage(models.Model):
    """An uploaded archive, kept for an hour, seen only by who uploaded it, committed by its digest."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    file_name = models.CharField(max_length=255)
    archive_sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()
    object_key = models.CharField(max_length=255, unique=True)
    staged_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        ordering: ClassVar = ["-staged_at"]

    def __str__(self) -> str:
        return self.file_name
