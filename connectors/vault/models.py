"""The canary that proves a key of the ring is the one values were sealed with."""

from django.db import models


class KeyCanary(models.Model):
    key_id = models.CharField(primary_key=True, max_length=64)
    sealed = models.BinaryField()
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.key_id
