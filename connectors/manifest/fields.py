"""Fields an administrator or a person fills in: `configuration.fields` and `auth.fields` (handbook §3, §5)."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator
from pydantic import Field as Constraint
from pydantic_core import PydanticCustomError

from connectors.manifest.formats import FieldKey, Length, OptionValue, TextKey
from connectors.manifest.part import Part

FieldType = Literal["text", "secret", "url", "integer", "boolean", "select"]
MAX_FIELDS = 64


def _refuse_containers(value: Any) -> Any:
    if not isinstance(value, str | int | bool | None):
        raise PydanticCustomError("wrong_type", "not a scalar", {"expected": "string, integer or boolean"})
    return value


class Option(Part):
    value: OptionValue
    label_key: TextKey


class Field(Part):
    """One question. What its type allows is checked in `field_checks`, what is answered in `values`."""

    key: FieldKey
    type: FieldType
    label_key: TextKey
    description_key: TextKey | None = None
    placeholder_key: TextKey | None = None
    group_key: TextKey | None = None
    required: bool = False
    default: Annotated[str | int | bool | None, BeforeValidator(_refuse_containers)] = None
    options: Annotated[tuple[Option, ...], Constraint(max_length=256)] = ()
    minimum: int | None = None
    maximum: int | None = None
    min_length: Length | None = None
    max_length: Length | None = None

    @property
    def is_secret(self) -> bool:
        return self.type == "secret"


Fields = Annotated[tuple[Field, ...], Constraint(max_length=MAX_FIELDS)]


class Configuration(Part):
    fields: Fields = ()
