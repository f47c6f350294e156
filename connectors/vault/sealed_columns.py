"""Every sealed column of every room, found through Django's registry of models."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.apps import apps
from django.db import models

from connectors.vault.fields import SealedField

BATCH = 200


@dataclass(frozen=True, slots=True)
class SealedColumn:
    model: type[models.Model]
    name: str
    bound_to: tuple[str, ...]

    @property
    def label(self) -> str:
        return f"{self.model._meta.label}.{self.name}"  # noqa: SLF001 - Django's documented Meta API

    def rows(self) -> "models.QuerySet[models.Model]":
        """Return the rows with only what opening the value needs, in the order of their keys."""
        manager = self.model._base_manager  # noqa: SLF001 - the documented manager that hides nothing
        filled = manager.filter(**{f"{self.name}__isnull": False})
        return filled.only("pk", self.name, *self.bound_to).order_by("pk")

    def batches(self) -> Iterator[list[models.Model]]:
        """Yield the rows in batches; rows added or changed meanwhile are met once at most."""
        batch = list(self.rows()[:BATCH])
        while batch:
            yield batch
            batch = list(self.rows().filter(pk__gt=batch[-1].pk)[:BATCH])

    def value_in(self, row: models.Model) -> bytes:
        return bytes(getattr(row, self.name))

    def replace(self, row: models.Model, old: bytes, new: bytes) -> bool:
        """Put the new value where the old one still is, touching no other column, and tell whether it was."""
        manager = self.model._base_manager  # noqa: SLF001 - the documented manager that hides nothing
        return manager.filter(pk=row.pk, **{self.name: old}).update(**{self.name: new}) == 1


def list_sealed_columns() -> list[SealedColumn]:
    """Return the sealed columns; declaring a SealedField is what registers one."""
    return [
        SealedColumn(model, field.name, field.bound_to)
        for model in apps.get_models()
        for field in model._meta.local_concrete_fields  # noqa: SLF001 - Django's documented Meta API
        if isinstance(field, SealedField)
    ]
