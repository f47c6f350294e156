"""The column that holds a sealed value, and the place a value in it is bound to."""

from typing import Any

from django.db import models

from connectors.vault.sealing import Place


class SealedField(models.BinaryField):  # type: ignore[type-arg]  # django-stubs leaves it unparametrised at run time
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


def place_of(row: models.Model, field_name: str = "sealed") -> Place:
    """Return the place of this row's sealed column: table, primary key, column and the values it is bound to."""
    field = row._meta.get_field(field_name)
    assert isinstance(field, SealedField)
    bound = [str(getattr(row, name)) for name in field.bound_to]
    return Place(table=row._meta.db_table, row=row.pk, field="\0".join([field_name, *bound]))
