"""Endpoints, servers, credential binding and the program (handbook §5, §8)."""

from collections.abc import Iterator

from connectors.errors import Fault
from connectors.manifest.auth import NoAuth, OAuthAuth, ProgramAuth, StaticAuth
from connectors.manifest.auth_checks import configuration_field
from connectors.manifest.identity_checks import repeated
from connectors.manifest.parts import Parts
from connectors.manifest.runtime import ConfiguredEndpoint, Endpoint, HeaderBinding, ProgramRuntime, RemoteMcpRuntime

_OPTIONS = "/runtime/options"


def check_runtime(parts: Parts) -> Iterator[Fault]:
    if isinstance(parts.runtime, RemoteMcpRuntime):
        yield from _check_endpoints(parts, parts.runtime)
        yield from _check_binding(parts, parts.runtime)
    yield from _check_program(parts)


def _check_endpoints(parts: Parts, runtime: RemoteMcpRuntime) -> Iterator[Fault]:
    endpoint, servers = runtime.options.endpoint, runtime.options.servers
    if (endpoint is None) == (servers is None):
        yield Fault("endpoint_or_servers", _OPTIONS)
    if endpoint is not None:
        yield from _check_endpoint(parts, endpoint, f"{_OPTIONS}/endpoint")
    for index, key in repeated(server.key for server in servers or ()):
        yield Fault("server_duplicate", f"{_OPTIONS}/servers/{index}/key", {"key": key})
    for index, server in enumerate(servers or ()):
        yield from _check_endpoint(parts, server.endpoint, f"{_OPTIONS}/servers/{index}/endpoint")


def _check_endpoint(parts: Parts, endpoint: Endpoint, place: str) -> Iterator[Fault]:
    if isinstance(endpoint, ConfiguredEndpoint):
        place = f"{place}/configuration_field"
        yield from configuration_field(parts, endpoint.configuration_field, place, "url")


def _check_binding(parts: Parts, runtime: RemoteMcpRuntime) -> Iterator[Fault]:
    """A binding names a value the strategy really yields; a program may call its credential values what it likes."""
    binding = runtime.options.credential_binding
    if not isinstance(binding, HeaderBinding):
        return
    place = f"{_OPTIONS}/credential_binding/credential_field"
    if isinstance(parts.auth, NoAuth):
        yield Fault("binding_without_credential", f"{_OPTIONS}/credential_binding")
    elif isinstance(parts.auth, OAuthAuth) and binding.credential_field != "access_token":
        yield Fault("credential_field_unknown", place, {"key": binding.credential_field, "allowed": ("access_token",)})
    elif isinstance(parts.auth, StaticAuth):
        yield from _check_static_binding(parts.auth, binding, place)


def _check_static_binding(auth: StaticAuth, binding: HeaderBinding, place: str) -> Iterator[Fault]:
    keys = tuple(one.key for one in auth.fields)
    if binding.credential_field not in keys:
        yield Fault("credential_field_unknown", place, {"key": binding.credential_field, "allowed": keys})


def _check_program(parts: Parts) -> Iterator[Fault]:
    if "program" in parts.faulty:
        return
    uses_program = isinstance(parts.auth, ProgramAuth) or isinstance(parts.runtime, ProgramRuntime)
    if uses_program and parts.program is None:
        yield Fault("program_missing", "/program")
    if parts.program and not uses_program and not {"auth", "runtime"} & parts.faulty:
        yield Fault("program_not_used", "/program")
    for index, name in repeated(parts.program.capabilities if parts.program else ()):
        yield Fault("capability_duplicate", f"/program/capabilities/{index}", {"capability": name})
