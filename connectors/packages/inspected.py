"""What an inspection found: a package that broke no rule, parsed once, ready to install (handbook §1–§8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from connectors.errors import Fault

if TYPE_CHECKING:
    from connectors.manifest.schema import Manifest


class PackageFile(NamedTuple):
    """One kept file: its path inside the package (no wrapping folder), its size, the SHA-256 (hex) of its content."""

    path: str
    size: int
    digest: str


@dataclass(frozen=True, slots=True)
class Icon:
    """The declared icon; the media type is what its signature says, the digest is the SHA-256 (hex) of the content."""

    media_type: str
    content: bytes
    digest: str


@dataclass(frozen=True, slots=True)
class Skill:
    """A declared Skill (§7); the digest is the revision of the Skill's own folder."""

    key: str
    path: str
    name: str
    description: str
    markdown_html: str
    digest: str


@dataclass(frozen=True, slots=True)
class InspectedPackage:
    """A package without faults. `document` is the manifest's own JSON; `texts` is {locale: {key: text}}.

    A folder inspected for an author has no archive: its `archive_sha256` is empty and its size 0.
    """

    manifest: Manifest
    document: dict[str, Any]
    texts: Mapping[str, Mapping[str, str]]
    icon: Icon | None
    skills: tuple[Skill, ...]
    files: tuple[PackageFile, ...]
    archive_sha256: str
    archive_size: int
    manifest_revision: str
    warnings: tuple[Fault, ...] = field(default=())
