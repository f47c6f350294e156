"""How the parts of a manifest fit together, and how they fit the package's texts and files (contract "Manifest")."""

from collections.abc import Collection, Iterator, Mapping

from connectors.errors import Fault
from connectors.manifest.auth_checks import check_auth
from connectors.manifest.field_checks import check_fields
from connectors.manifest.file_checks import check_files
from connectors.manifest.identity_checks import check_identity
from connectors.manifest.parts import Parts
from connectors.manifest.presentation_checks import check_presentation
from connectors.manifest.runtime_checks import check_runtime
from connectors.manifest.schema import Manifest
from connectors.manifest.skill_checks import check_skills
from connectors.manifest.text_checks import check_texts
from connectors.manifest.tool_checks import check_tools


def check_parts(parts: Parts) -> list[Fault]:
    """Faults that can be seen in the manifest alone. A part whose shape is wrong is left out of account."""
    return list(_check_parts(parts))


def check_references(
    manifest: Manifest | Parts, *, texts: Mapping[str, Mapping[str, str]], files: Collection[str]
) -> list[Fault]:
    """Faults between the manifest and what lies beside it.

    `texts` holds the locale files that could be read, by locale; `files` every path in the package. A locale file that
    is there but could not be read is the caller's fault to report, and is left out of account here.
    """
    parts = Parts.of(manifest) if isinstance(manifest, Manifest) else manifest
    return [*check_texts(parts, texts), *check_files(parts, files)]


def _check_parts(parts: Parts) -> Iterator[Fault]:
    yield from check_identity(parts)
    if parts.configuration:
        yield from check_fields(parts.configuration.fields, "/configuration/fields")
    if parts.auth:
        yield from check_fields(parts.auth.fields, "/auth/fields")
    yield from check_auth(parts)
    yield from check_runtime(parts)
    yield from check_presentation(parts)
    yield from check_tools(parts)
    yield from check_skills(parts)
