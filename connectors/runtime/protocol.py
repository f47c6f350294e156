"""The program protocol, version 1: one JSON object in, one JSON object out (handbook §8).

The envelopes are fixed: no key more, none less. What comes back is read strictly: UTF-8, no duplicate keys, no NaN, a
bounded depth.
"""

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field as Constraint
from pydantic import TypeAdapter, ValidationError

from connectors.manifest.strict_json import JsonFault, parse_strict
from connectors.runtime.operations import Operation
from connectors.runtime.program_errors import ProgramFault, ProgramRefused, RequestRefused
from connectors.runtime.program_results import Name, Part
from connectors.runtime.program_words import tell_message
from connectors.runtime.tool_schema import json_bytes
from connectors.vault.redaction import mask_secrets
from connectors.vault.secret import Secret

PROTOCOL_VERSION = 1
MAX_REQUEST_BYTES = 2 * 1024 * 1024
MAX_ANSWER_BYTES = 5 * 1024 * 1024
MAX_ARGUMENT_BYTES = 256 * 1024
MAX_DEPTH = 64


@dataclass(frozen=True, slots=True)
class PackageName:
    """Which package a request speaks for."""

    key: str
    version: str


# A literal would take 1 for true and true for 1.
_Version = Annotated[int, Constraint(ge=PROTOCOL_VERSION, le=PROTOCOL_VERSION)]


class _Success(Part):
    protocol_version: _Version
    ok: bool
    result: Any


class _Fault(Part):
    code: Name
    message: str
    retryable: bool


class _Failure(Part):
    protocol_version: _Version
    ok: bool
    error: _Fault


_SUCCESS = TypeAdapter(_Success)
_FAILURE = TypeAdapter(_Failure)


def build_request(operation: str, package: PackageName, context: dict[str, Any]) -> bytes:
    """Return the request envelope; RequestRefused when it, or the arguments in it, are too large or not JSON."""
    envelope = {
        "protocol_version": PROTOCOL_VERSION,
        "operation": operation,
        "package": {"key": package.key, "version": package.version},
        "context": context,
    }
    try:
        if json_bytes(context.get("arguments", {})) > MAX_ARGUMENT_BYTES:
            raise RequestRefused(reason="arguments_too_large", limit=MAX_ARGUMENT_BYTES)
        request = json.dumps(envelope, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except (ValueError, TypeError, RecursionError) as error:  # NaN, a lone surrogate, a value JSON does not have
        raise RequestRefused(reason="not_json") from error
    if len(request) > MAX_REQUEST_BYTES:
        raise RequestRefused(reason="request_too_large", limit=MAX_REQUEST_BYTES)
    return request


def read_answer[ResultT](
    answer: bytes, operation: Operation[Any, ResultT], *, secrets: Collection[Secret] = ()
) -> ResultT:
    """Return the typed result; ProgramRefused for the program's own failure, ProgramFault for anything else."""
    envelope = _read_envelope(answer)
    if envelope.get("ok") is False:
        failure = _validated(_FAILURE, envelope, "envelope").error
        message = tell_message(failure.message, secrets)
        raise ProgramRefused(mask_secrets(failure.code, secrets), message=message, retryable=failure.retryable)
    success = _validated(_SUCCESS, envelope, "envelope")
    return _validated(operation.result, success.result, "result")


def _read_envelope(answer: bytes) -> dict[str, Any]:
    if not answer.strip():
        raise ProgramFault(reason="no_answer")
    try:
        envelope = parse_strict(answer, max_bytes=MAX_ANSWER_BYTES, max_depth=MAX_DEPTH)
    except JsonFault as fault:
        raise ProgramFault(reason="not_one_json_object", detail=fault.code) from fault
    if not isinstance(envelope, dict):
        raise ProgramFault(reason="not_one_json_object", detail="no_object")
    return envelope


def _validated[T](adapter: TypeAdapter[T], value: Any, reason: str) -> T:
    """Return the parsed value, or say where and why it is wrong without repeating what it holds."""
    try:
        return adapter.validate_python(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = "/".join(str(part) for part in first["loc"])
        raise ProgramFault(reason=reason, where=where, detail=first["msg"], count=error.error_count()) from None
