"""The column that holds a sealed value, and the place a value in it is bound to."""

from typing import Any

from django.core import checks
from django.db import models

from connectors.vault.sealing import Place


class SealedField(models.BinaryField):  # type: ignore[type-arg]  # only the stubs know its type parameters
    """Bytes made by `sealing.seal`; `bound_to` names further columns of the row that the value is bound to.

    Declaring it is all it takes for `manage.py keys` to find, re-seal and check the column.
    """

    def __init__(self, *args: Any, bound_to: tuple[str, ...] = (), **kwargs: Any) -> None:
        self.bound_to = tuple(bound_to)
        super().__init__(*args, **kwargs)

    def deconstruct(self) -> Any:
        name, path, args, kwargs = super().deconstruct()
        if self.bound_to:
            kwargs["bound_to"] = self.bound_to
        return name, path, args, kwargs

    def check(self, **kwargs: Any) -> list[checks.CheckMessage]:
        faults = super().check(**kwargs)
        if not isinstance(self.model._meta.pk, models.UUIDField):  # noqa: SLF001 - Django's documented Meta API
            text = "A row with a sealed value needs a UUID as its primary key: the value is bound to it."
            faults.append(checks.Error(text, obj=self, id="vault.E010"))
        return faults


def place_of(row: models.Model, field_name: str = "sealed") -> Place:
    """Return the place of this row's sealed column: table, primary key, column and the values it is bound to."""
    meta = row._meta  # noqa: SLF001 - Django's documented Meta API
    field = meta.get_field(field_name)
    assert isinstance(field, SealedField)
    bound = [str(getattr(row, name)) for name in field.bound_to]
    return Place(table=meta.db_table, row=row.pk, field="\0".join([field_name, *bound]))
