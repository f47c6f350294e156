"""What every part of the manifest shares: frozen, strict about types, and no key that is not declared (handbook §2)."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator
from pydantic_core import PydanticCustomError

# Union tags carry this mark, so that a place inside the manifest can be told from a tag pydantic adds to the path.
TAG_MARK = "@"


class Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


def _refuse_boolean(value: Any) -> Any:
    if isinstance(value, bool | float):
        raise PydanticCustomError("wrong_type", "not an integer", {"expected": "integer"})
    return value


# To pydantic `true` and `1.0` equal the literal 1; to us they are other types.
One = Annotated[Literal[1], BeforeValidator(_refuse_boolean)]


def told_apart_by(key: str) -> Discriminator:
    """Choose a union's member by the text under `key`; the members are tagged `@<text>`."""

    def choose(value: Any) -> str | None:
        text = value.get(key) if isinstance(value, dict) else getattr(value, key, None)
        return f"{TAG_MARK}{text}" if text is not None else None

    choose.__name__ = key  # pydantic repeats it in its error, where `shape_faults` reads it
    return Discriminator(choose)
