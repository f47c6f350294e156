"""The parts of a manifest that could be read, so that one bad part does not hide the faults of the others."""

import json
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, Self

from pydantic import TypeAdapter, ValidationError

from connectors.errors import Fault
from connectors.manifest.auth import Auth
from connectors.manifest.fields import Configuration
from connectors.manifest.presentation import Presentation
from connectors.manifest.runtime import Program, Runtime
from connectors.manifest.schema import Manifest
from connectors.manifest.shape_faults import shape_faults
from connectors.manifest.skills import Skill
from connectors.manifest.tools import ToolPolicy

type Document = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Each part as read, or None where its shape is wrong; `faulty` names those. `document` is the JSON as it came."""

    document: Document = field(repr=False)
    key: str | None = None
    default_locale: str | None = None
    locales: tuple[str, ...] | None = None
    presentation: Presentation | None = None
    permission_key: str | None = None
    configuration: Configuration | None = None
    auth: Auth | None = None
    runtime: Runtime | None = None
    program: Program | None = None
    tool_policy: ToolPolicy | None = None
    skills: tuple[Skill, ...] | None = None
    faulty: frozenset[str] = frozenset()

    @classmethod
    def of(cls, manifest: Manifest, document: Document | None = None) -> Self:
        named = {name: getattr(manifest, name) for name in _READ}
        return cls(document=document or manifest.model_dump(mode="json", exclude_none=True), **named)


# What the checks look at; the other keys have nothing to fit together with.
_READ = (
    "key", "default_locale", "locales", "presentation", "permission_key", "configuration",
    "auth", "runtime", "program", "tool_policy", "skills",
)  # fmt: skip


def read_shape(document: Document) -> tuple[Manifest | None, Parts, list[Fault]]:
    """The manifest if its whole shape is right; else the parts that are, and every fault of shape."""
    try:
        manifest = Manifest.model_validate_json(json.dumps(document))
    except ValidationError as error:
        return None, _readable_parts(document), shape_faults(error)
    return manifest, Parts.of(manifest, document), []


def _readable_parts(document: Document) -> Parts:
    found: dict[str, Any] = {}
    faulty: set[str] = set()
    for name in _READ:
        declared = Manifest.model_fields[name]
        if name not in document:
            if declared.is_required():
                faulty.add(name)
            else:
                found[name] = declared.get_default()
            continue
        try:
            found[name] = _adapter(name).validate_json(json.dumps(document[name]), strict=True)
        except ValidationError:
            faulty.add(name)
    return Parts(document=document, faulty=frozenset(faulty), **found)


@cache
def _adapter(name: str) -> TypeAdapter[Any]:
    """Reads one key of the manifest exactly as the manifest itself declares it."""
    declared = Manifest.model_fields[name]
    return TypeAdapter(Annotated[declared.annotation, declared])  # type: ignore[arg-type]  # a form made at run time
