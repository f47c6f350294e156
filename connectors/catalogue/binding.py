"""The header that carries a person's credential to a connector's servers (handbook §5, `credential_binding`)."""

import re
from collections.abc import Mapping

from connectors.errors import Fault, Invalid
from connectors.manifest.runtime import HeaderBinding, RemoteMcpRuntime
from connectors.manifest.schema import Manifest
from connectors.vault.secret import Secret

# RFC 9110 §5.5 without obs-text: visible ASCII with single inner blanks or tabs; no CR, LF or NUL can slip in.
_HEADER_VALUE = re.compile(r"[\x21-\x7e]([\x20-\x7e\t]*[\x21-\x7e])?")


def binding_headers(manifest: Manifest, values: Mapping[str, Secret]) -> dict[str, Secret]:
    """Return the headers to send with every request to the connector's servers; none when nothing is bound.

    A value that cannot stand in a header is `Invalid` with the credential field's key.
    """
    binding = header_binding(manifest)
    if binding is None:
        return {}
    value = values.get(binding.credential_field)
    if not value:
        return {}
    text = value.reveal()
    if not _HEADER_VALUE.fullmatch(text):
        raise Invalid([Fault("not_a_header_value", binding.credential_field)])
    return {binding.name: Secret(f"{binding.scheme} {text}" if binding.scheme else text)}


def header_binding(manifest: Manifest) -> HeaderBinding | None:
    """Return how the credential is sent, or nothing when the servers get none."""
    runtime = manifest.runtime
    if not isinstance(runtime, RemoteMcpRuntime):
        return None
    binding = runtime.options.credential_binding
    return binding if isinstance(binding, HeaderBinding) else None
