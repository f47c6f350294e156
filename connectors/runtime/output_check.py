"""Does a structured result fit the schema its tool promised? Never asks the network.

References outside the schema do not resolve, and values are not matched against patterns (one can be made to take for
ever, safety 9): a result is then judged by the rest.
"""

from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from jsonschema.validators import extend
from referencing import Registry
from referencing.exceptions import Unresolvable


def _pass(*_anything: Any) -> None:
    """Find no fault."""


_Validator = extend(  # type: ignore[no-untyped-call]  # jsonschema has no types for it
    Draft202012Validator, dict.fromkeys(("pattern", "patternProperties", "format"), _pass)
)


def output_fault(schema: dict[str, Any], value: Any) -> str:
    """Return where the value does not fit, as a JSON pointer with the keyword that says so; empty when it fits."""
    try:
        _Validator.check_schema(schema)
        error = next(iter(_Validator(schema, registry=Registry()).iter_errors(value)), None)
    except (SchemaError, Unresolvable, RecursionError):
        return "schema_unusable"
    if error is None:
        return ""
    place = "".join(f"/{part}" for part in error.absolute_path)
    return f"{place or '/'} {error.validator}"
