"""The whole manifest, version 1 (handbook §2)."""

from typing import Annotated, Literal

from pydantic import Field as Constraint

from connectors.manifest.auth import Auth
from connectors.manifest.fields import Configuration
from connectors.manifest.formats import ConnectorKey, ContractVersion, LocaleTag, Version
from connectors.manifest.part import One, Part
from connectors.manifest.presentation import Presentation
from connectors.manifest.runtime import Program, Runtime
from connectors.manifest.skills import Skill
from connectors.manifest.tools import ToolPolicy

MAX_LOCALES = 64
MAX_SKILLS = 100


class Manifest(Part):
    """A manifest whose shape is right. Only `reading.read_manifest` also says that its parts fit together."""

    schema_version: One
    platform_api_version: Literal["1"]
    key: ConnectorKey
    package_version: Version
    authorization_contract_version: ContractVersion
    default_locale: LocaleTag
    locales: Annotated[tuple[LocaleTag, ...], Constraint(min_length=1, max_length=MAX_LOCALES)]
    presentation: Presentation
    connection_policy: Literal["single_per_user", "multiple_per_user"]
    permission_key: str  # only its form is kept; it controls nothing
    configuration: Configuration = Configuration()
    auth: Auth
    runtime: Runtime
    program: Program | None = None
    tool_policy: ToolPolicy
    skills: Annotated[tuple[Skill, ...], Constraint(max_length=MAX_SKILLS)] = ()
