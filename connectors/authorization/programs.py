"""Authorize an account through the package's own program (handbook §8).

    none      authorization_begin answers with the account
    form      authorization_begin says form, authorization_complete turns what was typed into the account
    redirect  authorization_begin names an address, authorization_complete turns the code into the account

What comes back is proved by the program itself; a remote MCP runtime beside it is proved by a handshake as well.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from uuid import UUID

from asgiref.sync import async_to_sync

from connectors.catalogue.configuration import open_configuration
from connectors.catalogue.models import Connector
from connectors.catalogue.program import open_program
from connectors.catalogue.versions import manifest_of
from connectors.errors import Fault, Invalid, Refused, UpstreamFault
from connectors.manifest.auth import OAuthAuth
from connectors.manifest.schema import Manifest
from connectors.runtime.deadline import Deadline
from connectors.runtime.operations import AUTHORIZATION_BEGIN, AUTHORIZATION_COMPLETE, TOOLS_DISCOVER
from connectors.runtime.program import ProgramSource, invoke_program
from connectors.runtime.program_context import (
    AuthorizationBegin,
    AuthorizationComplete,
    Configuration,
    Credentials,
    Intent,
    OAuthCode,
    Submission,
    ToolsDiscover,
)
from connectors.runtime.program_errors import ProgramFault, ProgramRefused
from connectors.runtime.program_results import AuthorizedAccount, BeginAccount, BeginForm, Beginning, BeginRedirect
from connectors.vault.secret import Secret

AUTHORIZE_SECONDS = 60.0
_NOTHING: Mapping[str, Secret] = MappingProxyType({})
_REFUSALS = frozenset({"bad_request", "authorization_required"})
# Which answer of `authorization_begin` belongs to which interaction (§8).
_ANSWERS: dict[str, type[Beginning]] = {"none": BeginAccount, "form": BeginForm, "redirect": BeginRedirect}


@dataclass(frozen=True, slots=True)
class _Question:
    """What every authorization request of one connector shares."""

    program: ProgramSource
    manifest: Manifest
    configuration: Configuration
    intent: Intent

    @property
    def options(self) -> dict[str, object]:
        return self.manifest.auth.options.model_dump(mode="json")


def authorize_with_program(connector: Connector, values: Mapping[str, Secret], *, intent: Intent) -> AuthorizedAccount:
    """Return the account the program signed in to with what the person typed.

    Raises `Invalid` in the program's own words when it does not accept that, and what `invoke_program` raises.
    """
    manifest = manifest_of(connector.version)
    if manifest.auth.interaction == "redirect":
        raise Refused("strategy_not_available", strategy="program", adapter=manifest.runtime.adapter)
    return async_to_sync(_authorize)(_ask(connector, intent), values)


def begin_redirect(
    connector: Connector, *, intent: Intent, state: Secret, redirect_uri: str, code_challenge: str
) -> BeginRedirect:
    """Return the address the program sends a person to, and what it wants to remember until they are back."""
    question = _ask(connector, intent)
    context = AuthorizationBegin(
        configuration=question.configuration,
        options=question.options,
        intent=intent,
        state=state,
        redirect_uri=redirect_uri,
        code_challenge=code_challenge,
    )
    with _in_its_own_words():
        begun = async_to_sync(_begin)(question, context, Deadline.after(AUTHORIZE_SECONDS))
    assert isinstance(begun, BeginRedirect)
    return begun


def complete_redirect(
    connector: Connector, *, intent: Intent, private_context: Mapping[str, Secret], submission: OAuthCode
) -> AuthorizedAccount:
    """Return the account that the program made of a code. Asked once: a code is good once."""
    question = _ask(connector, intent)
    deadline = Deadline.after(AUTHORIZE_SECONDS)
    with _in_its_own_words():
        return async_to_sync(_complete)(question, submission, deadline, private_context=private_context)


@contextmanager
def _in_its_own_words() -> Iterator[None]:
    """Let a program's refusal be told as one of this sign-in: nothing saved before is meant by it."""
    try:
        yield
    except ProgramRefused as refused:
        if refused.code not in _REFUSALS:
            raise
        raise UpstreamFault("sign_in_refused", message=refused.parameters["message"]) from refused


def _ask(connector: Connector, intent: Intent) -> _Question:
    manifest = manifest_of(connector.version)
    return _Question(open_program(connector.version), manifest, configuration_of(connector), intent)


async def _authorize(question: _Question, values: Mapping[str, Secret]) -> AuthorizedAccount:
    deadline = Deadline.after(AUTHORIZE_SECONDS)
    try:
        context = AuthorizationBegin(
            configuration=question.configuration, options=question.options, intent=question.intent
        )
        begun = await _begin(question, context, deadline)
        if isinstance(begun, BeginAccount):
            return begun.account
        return await _complete(question, Credentials(values=values), deadline)
    except ProgramRefused as refused:
        if refused.code not in _REFUSALS:
            raise
        raise Invalid([Fault("credentials_refused", "", {"message": refused.parameters["message"]})]) from refused


async def _begin(question: _Question, context: AuthorizationBegin, deadline: Deadline) -> Beginning:
    begun = await invoke_program(question.program, AUTHORIZATION_BEGIN, context, deadline=deadline)
    interaction = question.manifest.auth.interaction
    if not isinstance(begun, _ANSWERS[interaction]):
        raise ProgramFault(reason="interaction_differs", interaction=interaction, answered=begun.type)
    return begun


async def _complete(
    question: _Question,
    submission: Submission,
    deadline: Deadline,
    *,
    private_context: Mapping[str, Secret] = _NOTHING,
) -> AuthorizedAccount:
    context = AuthorizationComplete(
        configuration=question.configuration,
        options=question.options,
        intent=question.intent,
        private_context=private_context,
        submission=submission,
    )
    return await invoke_program(question.program, AUTHORIZATION_COMPLETE, context, deadline=deadline)


def configuration_of(connector: Connector) -> Configuration:
    """Return the connector's configuration as programs receive it."""
    opened = open_configuration(connector)
    return Configuration(public=opened.public, secret=opened.secrets)


def tools_context(
    connector: Connector,
    values: Mapping[str, Secret],
    *,
    connection_id: UUID,
    connection_metadata: Mapping[str, object],
    grant_revision: int,
    credential_version: int,
) -> ToolsDiscover:
    """Return the complete context of discovery and invocation (§8, "complete program context").

    Of a standard OAuth credential a program gets the access token alone: refreshing is ours.
    """
    manifest = manifest_of(connector.version)
    runtime = manifest.runtime
    if isinstance(manifest.auth, OAuthAuth):
        values = {key: value for key, value in values.items() if key == "access_token"}
    return ToolsDiscover(
        configuration=configuration_of(connector),
        options=runtime.options.model_dump(mode="json"),
        transport=runtime.transport,
        credentials=values,
        connection_metadata=connection_metadata,
        definition_id=connector.pk,
        connection_id=connection_id,
        configuration_revision=connector.configuration_revision,
        authorization_fingerprint=connector.authorization_fingerprint,
        grant_revision=grant_revision,
        credential_version=credential_version,
    )


def verify_with_program(connector: Connector, values: Mapping[str, Secret], *, connection_id: UUID) -> None:
    """Prove a credential of a standard strategy by letting the program list its tools (contract.md, "Manifest")."""
    context = tools_context(
        connector,
        values,
        connection_id=connection_id,
        connection_metadata={},
        grant_revision=1,
        credential_version=1 if values else 0,
    )
    program = open_program(connector.version)
    async_to_sync(_discover)(program, context)


async def _discover(program: ProgramSource, context: ToolsDiscover) -> None:
    await invoke_program(program, TOOLS_DISCOVER, context, deadline=Deadline.after(AUTHORIZE_SECONDS))
