"""A package version's program, ready to run, and what it says about a connector's configuration (handbook §8, §9)."""

from collections.abc import Mapping
from typing import Any

from asgiref.sync import async_to_sync

from connectors.catalogue import fault_words  # noqa: F401 - registers what the fault below says
from connectors.catalogue.models import PackageVersion
from connectors.catalogue.versions import manifest_of
from connectors.errors import Fault, Invalid, Refused
from connectors.manifest.auth import ProgramAuth
from connectors.manifest.schema import Manifest
from connectors.manifest.values import Value
from connectors.packages.cache import open_package
from connectors.runtime.deadline import Deadline
from connectors.runtime.operations import AUTHORIZATION_IDENTITY, CONFIGURATION_VALIDATE
from connectors.runtime.program import ProgramSource, invoke_program
from connectors.runtime.program_context import AuthorizationIdentity, Configuration, ConfigurationValidate
from connectors.runtime.program_errors import ProgramRefused
from connectors.runtime.protocol import PackageName
from connectors.vault.secret import Secret

CHECK_SECONDS = 30.0


def open_program(version: PackageVersion) -> ProgramSource:
    """Return the version's program from this machine's verified copy of the package.

    Raises `PackageDamaged` when the archive is missing or altered, `Refused("program_absent")` when there is none.
    """
    program = manifest_of(version).program
    if program is None:
        raise Refused("program_absent", key=version.key)
    folder = open_package(
        object_key=version.object_key,
        archive_sha256=version.archive_sha256,
        manifest_revision=version.manifest_revision,
        key=version.key,
    )
    return ProgramSource(
        folder=folder,
        entrypoint=program.entrypoint,
        package=PackageName(version.key, version.version),
        capabilities=frozenset(program.capabilities),
        digest=version.manifest_revision,
    )


def ask_about_configuration(version: PackageVersion, public: Mapping[str, Value], secrets: Mapping[str, Secret]) -> Any:
    """Let the package's program check a configuration, and return the authorization identity it names for it.

    Without a program there is nothing to ask and the identity is None. Raises `Invalid` with the program's own words
    when it refuses, and what `invoke_program` raises when it cannot say. Takes seconds: never inside a transaction.
    """
    manifest = manifest_of(version)
    if manifest.program is None:
        return None
    return async_to_sync(_ask)(open_program(version), manifest, Configuration(public=public, secret=secrets))


async def _ask(program: ProgramSource, manifest: Manifest, configuration: Configuration) -> Any:
    deadline = Deadline.after(CHECK_SECONDS)
    try:
        check = ConfigurationValidate(configuration=configuration, require_complete=True)
        await invoke_program(program, CONFIGURATION_VALIDATE, check, deadline=deadline)
    except ProgramRefused as refused:
        if refused.code != "bad_request":
            raise
        raise Invalid([Fault("configuration_refused", "", {"message": refused.parameters["message"]})]) from refused
    if not isinstance(manifest.auth, ProgramAuth):
        return None
    question = AuthorizationIdentity(configuration=configuration, options=manifest.auth.options.model_dump(mode="json"))
    return (await invoke_program(program, AUTHORIZATION_IDENTITY, question, deadline=deadline)).identity
