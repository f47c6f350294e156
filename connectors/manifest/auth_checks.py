"""Authorization against the configuration it reads from (handbook §5, contract "Manifest")."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from connectors.errors import Fault
from connectors.manifest.auth import OAuthAuth, OAuthOptions, StaticAuth, StaticDiscovery
from connectors.manifest.fields import Field
from connectors.manifest.identity_checks import repeated
from connectors.manifest.parts import Parts

_OPTIONS = "/auth/options"
_DEFAULT_PORTS = {"http": 80, "https": 443}


def check_auth(parts: Parts) -> Iterator[Fault]:
    auth = parts.auth
    if auth is None:
        return
    if auth.fields and auth.interaction != "form":
        yield Fault("auth_fields_without_form", "/auth/fields", {"interaction": auth.interaction})
    if isinstance(auth, StaticAuth) and not auth.fields:
        yield Fault("auth_fields_missing", "/auth/fields")
    if isinstance(auth, OAuthAuth):
        yield from _check_oauth(parts, auth.options)


def origin(url: str) -> tuple[str, str, int | None]:
    """Scheme, host and port as one compares origins (RFC 6454); a trailing dot makes another host."""
    parts = urlsplit(url)
    return parts.scheme, (parts.hostname or "").lower(), parts.port or _DEFAULT_PORTS.get(parts.scheme)


def configuration_field(parts: Parts, key: str, place: str, *types: str, required: bool = True) -> Iterator[Fault]:
    """Faults of naming the configuration field `key` at `place`: it must be there, of one of `types`, and required."""
    if parts.configuration is None:
        return
    found = next((one for one in parts.configuration.fields if one.key == key), None)
    if found is None:
        yield Fault("configuration_field_unknown", place, {"key": key})
        return
    yield from _fits(found, place, types, required=required)


def _fits(found: Field, place: str, types: tuple[str, ...], *, required: bool) -> Iterator[Fault]:
    if found.type not in types:
        yield Fault("configuration_field_type", place, {"key": found.key, "type": found.type, "allowed": types})
    if required and not found.required:
        yield Fault("configuration_field_optional", place, {"key": found.key})


def _check_oauth(parts: Parts, options: OAuthOptions) -> Iterator[Fault]:
    place = f"{_OPTIONS}/client_id_configuration_field"
    yield from configuration_field(parts, options.client_id_configuration_field, place, "text", "url", required=False)
    yield from _check_client_secret(parts, options)
    for index, scope in repeated(options.scopes):
        yield Fault("scope_duplicate", f"{_OPTIONS}/scopes/{index}", {"scope": scope})
    discovery = options.discovery
    if isinstance(discovery, StaticDiscovery):
        yield from _check_origins(discovery)
    else:
        place = f"{_OPTIONS}/discovery/resource_configuration_field"
        yield from configuration_field(parts, discovery.resource_configuration_field, place, "url")


def _check_client_secret(parts: Parts, options: OAuthOptions) -> Iterator[Fault]:
    place = f"{_OPTIONS}/client_secret_configuration_field"
    key = options.client_secret_configuration_field
    public = options.token_endpoint_auth_method == "none"  # noqa: S105 - a method, no password
    if public and key is not None:
        yield Fault("client_secret_not_allowed", place)
    elif not public and key is None:
        yield Fault("client_secret_missing", place, {"method": options.token_endpoint_auth_method})
    elif key is not None:
        yield from configuration_field(parts, key, place, "secret", required=False)


def _check_origins(discovery: StaticDiscovery) -> Iterator[Fault]:
    """A code or token must not leave for another site than the one the issuer names (safety 20)."""
    for name in ("authorization_url", "token_url", "revocation_url"):
        url = getattr(discovery, name)
        if url is not None and origin(url) != origin(discovery.issuer):
            yield Fault("origin_differs_from_issuer", f"{_OPTIONS}/discovery/{name}", {"issuer": discovery.issuer})
