"""`check --run`: try every operation a package's program declares, offline, as handbook §10 asks.

A program that breaks the protocol, or its own manifest, is refused. One that says it cannot tell offline is not: that
is a warning, because only the real service could show more.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from connectors.errors import ConnectorError, Fault
from connectors.management.authoring import exercise_words  # noqa: F401 - registers what the faults below say
from connectors.management.authoring.offline import offline
from connectors.management.authoring.sample_context import sample_context
from connectors.management.authoring.sample_values import make_values
from connectors.manifest.auth import ProgramAuth
from connectors.manifest.runtime import ProgramRuntime
from connectors.manifest.schema import Manifest
from connectors.manifest.values import ParsedValues
from connectors.runtime import discovery_words  # noqa: F401 - registers what differences from the policy say
from connectors.runtime.deadline import Deadline
from connectors.runtime.discovery_check import compare_with_policy
from connectors.runtime.operations import OPERATIONS
from connectors.runtime.process import Ending
from connectors.runtime.program import ProgramSource, exchange, read_ending
from connectors.runtime.program_errors import ProgramFault, ProgramRefused, ProgramTimedOut
from connectors.runtime.protocol import build_request
from connectors.vault.redaction import redact_text

_WANTED = {"none": "account", "form": "form", "redirect": "redirect"}
_SECONDS = 100.0
_LONGEST_SAID = 300
# The protocol's own words for a bad answer, as our fault codes.
_BROKEN = {
    "no_answer": "run_no_answer",
    "exit_code": "run_exit_code",
    "not_one_json_object": "run_answer_not_json",
    "envelope": "run_envelope_wrong",
    "result": "run_result_wrong",
}


@dataclass(frozen=True, slots=True)
class Tried:
    operation: str
    answer: str  # "ok", or the code it ended with
    seconds: float


@dataclass(slots=True)
class Exercise:
    """What came of it; `where` of a fault is the operation, or the key of a tool that differs from the policy."""

    errors: list[Fault] = field(default_factory=list)
    warnings: list[Fault] = field(default_factory=list)
    tried: list[Tried] = field(default_factory=list)


def exercise_program(program: ProgramSource, manifest: Manifest, given: ParsedValues | None) -> Exercise:
    """Try the operations with the configuration that is given, or with one made up from the fields."""
    with offline():
        return asyncio.run(_Trial(program, manifest, given).run())


class _Trial:
    def __init__(self, program: ProgramSource, manifest: Manifest, given: ParsedValues | None) -> None:
        self._program = program
        self._manifest = manifest
        self._given = given is not None
        values = make_values(manifest.configuration.fields) if given is None else given
        self._secrets = tuple(values.secrets.values())
        secret = {key: value.reveal() for key, value in values.secrets.items()}
        self._configuration: dict[str, Any] = {"public": dict(values.public), "secret": secret}
        self._credentials = _make_credentials(manifest)
        self._found = Exercise()

    async def run(self) -> Exercise:
        await self._accept_configuration()
        await self._refuse_configuration()
        if isinstance(self._manifest.auth, ProgramAuth):
            await self._identify()
            await self._begin()
        for operation in ("credential_refresh", "credential_revoke"):
            if operation in self._program.capabilities:
                async with self._trying(operation, lambda _refused: None) as ask:
                    # Refused is as good as done: there is no service, and the credential is made up.
                    await ask(credential={"values": self._credentials, "expires_at": None, "refresh_expires_at": None})
        if isinstance(self._manifest.runtime, ProgramRuntime):
            await self._discover()
        if "launch_url" in self._program.capabilities:
            async with self._trying("launch_url", self._unanswered("launch_url")) as ask:
                await ask()
        return self._found

    async def _accept_configuration(self) -> None:
        code = "run_configuration_refused" if self._given else "run_sample_refused"
        faults = self._found.errors if self._given else self._found.warnings

        def refused(refusal: ProgramRefused) -> None:
            if refusal.code == "bad_request":
                faults.append(Fault(code, operation, {"message": refusal.parameters["message"]}))
            else:
                self._unanswered(operation)(refusal)

        operation = "configuration_validate"
        async with self._trying(operation, refused) as ask:
            await ask()

    async def _refuse_configuration(self) -> None:
        """Leave out what is required: the program should say bad_request."""
        required = [one.key for one in self._manifest.configuration.fields if one.required]
        if not required:
            return

        def refused(refusal: ProgramRefused) -> None:
            if refusal.code != "bad_request":
                self._warn("run_refusal_code", operation, code=refusal.code)

        operation = "configuration_validate"
        async with self._trying(operation, refused) as ask:
            await ask(configuration={"public": {}, "secret": {}})
            self._warn("run_incomplete_accepted", operation, fields=required)

    async def _identify(self) -> None:
        operation = "authorization_identity"
        async with self._trying(operation, self._unanswered(operation)) as ask:
            one, other = (await ask()).identity, (await ask()).identity
            if one != other:
                self._found.errors.append(Fault("run_identity_changes", operation))
            told = json.dumps(one, ensure_ascii=False)
            if any(secret and secret.reveal() in told for secret in self._secrets):
                self._found.errors.append(Fault("run_identity_secret", operation))

    async def _begin(self) -> None:
        operation, interaction = "authorization_begin", self._manifest.auth.interaction
        async with self._trying(operation, self._unanswered(operation)) as ask:
            found, wanted = (await ask()).type, _WANTED[interaction]
            if found != wanted:
                parameters = {"found": found, "interaction": interaction, "wanted": wanted}
                self._found.errors.append(Fault("run_beginning_differs", operation, parameters))

    async def _discover(self) -> None:
        operation = "tools_discover"
        async with self._trying(operation, self._unanswered(operation)) as ask:
            self._found.errors += compare_with_policy(
                (await ask(credentials=self._credentials)).tools, self._manifest.tool_policy.rules
            )

    def _unanswered(self, operation: str) -> Callable[[ProgramRefused], None]:
        def refused(refusal: ProgramRefused) -> None:
            message = refusal.parameters["message"]
            self._warn("run_unanswered_offline", operation, code=refusal.code, message=message, operation=operation)

        return refused

    def _warn(self, code: str, where: str, /, **parameters: Any) -> None:
        self._found.warnings.append(Fault(code, where, parameters))

    @asynccontextmanager
    async def _trying(
        self, operation: str, refused: Callable[[ProgramRefused], None]
    ) -> AsyncIterator[Callable[..., Any]]:
        """Yield what asks the program; a refusal goes to `refused`, any other bad end is an error of the package."""
        began, answer, endings = time.monotonic(), "ok", list[Ending]()

        async def ask(**changes: Any) -> Any:
            sample = sample_context(operation, self._manifest, self._configuration)
            return await self._ask(operation, {**sample, **changes}, endings)

        try:
            yield ask
        except ProgramRefused as refusal:
            answer = refusal.code
            refused(refusal)
        except ConnectorError as error:
            answer = error.code
            self._found.errors.append(_explain(operation, error, self._said(endings)))
        self._found.tried.append(Tried(operation, answer, time.monotonic() - began))

    async def _ask(self, operation: str, context: dict[str, Any], endings: list[Ending]) -> Any:
        request = build_request(operation, self._program.package, context)
        chosen = OPERATIONS[operation]
        ending = await exchange(self._program, chosen, request, deadline=Deadline.after(_SECONDS))
        endings.append(ending)
        return read_ending(ending, chosen, self._secrets)

    def _said(self, endings: list[Ending]) -> str:
        """Return the last thing the program wrote to standard error: of a traceback, what went wrong."""
        lines = endings[-1].stderr.decode("utf-8", "replace").split("\n") if endings else []
        last = next((line.strip() for line in reversed(lines) if line.strip()), "-")
        shown = redact_text(last, self._secrets)[:_LONGEST_SAID]
        return "".join(letter if letter.isprintable() else "\ufffd" for letter in shown)


def _make_credentials(manifest: Manifest) -> dict[str, Any]:
    """Values under the names a person is asked for, and under those that OAuth programs use."""
    values = make_values(manifest.auth.fields)
    made = {"access_token": "sample", "refresh_token": "sample", **values.public}
    return {**made, **{key: one.reveal() for key, one in values.secrets.items()}}


def _explain(operation: str, error: ConnectorError, said: str) -> Fault:
    parameters = {"operation": operation, "said": said, **error.parameters}
    if isinstance(error, ProgramTimedOut):
        return Fault("run_too_long", operation, parameters)
    if error.code == "response_too_large":
        return Fault("run_too_large", operation, parameters)
    reason = parameters.pop("reason", "")
    if not isinstance(error, ProgramFault) or reason not in _BROKEN:
        return Fault("run_failed", operation, {"code": error.code, "detail": reason, "operation": operation})
    if operation == "launch_url" and reason == "result" and parameters.get("where") == "url":
        return Fault("run_launch_address", operation)
    place = parameters.pop("where", "") or "/"
    return Fault(_BROKEN[reason], operation, {**parameters, "place": place})
