"""An agent's view: `visible connectors ∩ standing connections ∩ package policy ∩ grants ∩ discovered tools`."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

import orjson

from connectors.access.models import User
from connectors.authorization.accounts import STANDING, effective_state
from connectors.authorization.models import Connection
from connectors.catalogue.queries import visible_connectors
from connectors.catalogue.versions import manifest_of
from connectors.gateway.discovery import failure_of
from connectors.gateway.models import Toolset
from connectors.gateway.naming import Address, find_ambiguous, name_tools
from connectors.manifest.schema import Manifest
from connectors.manifest.tool_keys import tool_key
from connectors.policy.decision import Facts, GrantFacts, ToolRule, is_in_view
from connectors.policy.models import Grant
from connectors.runtime.mcp_wire import ParameterHeaders, find_parameter_headers
from connectors.runtime.program_mcp import UPSTREAM_NAME

# 2025-11-25 tasks: we answer every call at once. What a program calls its tool is between it and us.
_NOT_OURS: Final = ("execution", UPSTREAM_NAME)


@dataclass(frozen=True, slots=True)
class SnapshotTool:
    """One tool an agent may see: its names, where it lives, and what a decision about it needs."""

    name: str
    address: Address
    facts: Facts
    connector_id: UUID
    connection_id: UUID
    package_version: str
    manifest_revision: str
    digest: str
    parameter_headers: ParameterHeaders
    capture_days: int = 0

    @property
    def effect(self) -> str:
        return self.facts.rule.effect if self.facts.rule else ""

    @property
    def may_repeat(self) -> bool:
        """A read the package calls safe to retry (§6); anything else is sent at most once."""
        rule = self.facts.rule
        return rule is not None and rule.effect == "read" and rule.retry == "safe"

    @property
    def is_read(self) -> bool:
        return self.effect == "read"


@dataclass(frozen=True, slots=True)
class Undiscovered:
    """A connection the agent was granted whose tools are not known; `code` says why when that is known."""

    connection_id: UUID
    connector_key: str
    alias: str
    code: str


@dataclass(frozen=True, slots=True)
class Compiled:
    """An agent's view. `listing` is the JSON array of definitions, in the order of their names."""

    tools: dict[str, SnapshotTool]
    listing: bytes
    ambiguous: dict[str, list[str]]
    undiscovered: tuple[Undiscovered, ...]
    connector_versions: dict[str, str]
    discovered_at: dict[UUID, datetime]

    def stale(self, seconds: float) -> list[UUID]:
        """Return the connections whose tools were listed longer ago than this."""
        limit = datetime.now(UTC) - timedelta(seconds=seconds)
        return [connection_id for connection_id, at in self.discovered_at.items() if at < limit]


def compile_view(agent_id: UUID, owner_id: int) -> Compiled:
    """Read everything an agent's view hangs on and compile it."""
    owner = User.objects.get(pk=owner_id)
    visible = set(visible_connectors(owner).order_by().values_list("pk", flat=True))
    grants = (
        Grant.objects.filter(agent_id=agent_id, connection__person_id=owner_id, connection__connector_id__in=visible)
        .exclude(breadth=Grant.Breadth.NONE)
        .select_related("connection__connector__version", "connection__toolset", "connection__credential")
    )
    sources = [_Source.read(grant) for grant in grants]
    active = [source for source in sources if source.state in STANDING]
    found = {address: entry for source in active for address, entry in source.tools().items()}
    names = name_tools(found.keys())
    tools = {name: found[address].as_tool(name, address) for name, address in sorted(names.items())}
    return Compiled(
        tools=tools,
        listing=orjson.dumps([_define(name, found[tool.address].raw, tool) for name, tool in tools.items()]),
        ambiguous=find_ambiguous(names),
        undiscovered=tuple(source.undiscovered() for source in active if source.toolset is None),
        connector_versions={source.key: source.manifest_revision for source in active},
        discovered_at={source.connection.pk: source.toolset.discovered_at for source in active if source.toolset},
    )


@dataclass(frozen=True, slots=True)
class _Found:
    """A tool on its way into the view: its raw definition, its facts, its source."""

    raw: dict[str, Any]
    facts: Facts
    source: "_Source"

    def as_tool(self, name: str, address: Address) -> SnapshotTool:
        definition = orjson.dumps(self.raw, option=orjson.OPT_SORT_KEYS)
        return SnapshotTool(
            name=name,
            address=address,
            facts=self.facts,
            connector_id=self.source.connection.connector_id,
            connection_id=self.source.connection.pk,
            package_version=self.source.package_version,
            manifest_revision=self.source.manifest_revision,
            digest=hashlib.sha256(definition).hexdigest(),
            parameter_headers=find_parameter_headers(self.raw.get("inputSchema")),
            capture_days=self.source.connection.connector.capture_days,
        )


@dataclass(frozen=True, slots=True)
class _Source:
    """One granted connection with everything its tools take their facts from."""

    key: str
    connection: Connection
    state: str
    grant: GrantFacts
    manifest: Manifest
    manifest_revision: str
    package_version: str
    toolset: Toolset | None

    @classmethod
    def read(cls, grant: Grant) -> "_Source":
        connection = grant.connection
        version = connection.connector.version
        return cls(
            key=connection.connector.key,
            connection=connection,
            state=effective_state(connection),
            grant=grant_facts(grant),
            manifest=manifest_of(version),
            manifest_revision=version.manifest_revision,
            package_version=version.version,
            toolset=usable_toolset(connection),
        )

    def tools(self) -> dict[Address, _Found]:
        rules = rules_of(self.manifest)
        found: dict[Address, _Found] = {}
        for server, listed in (self.toolset.tools if self.toolset else {}).items():
            for raw in listed:
                key = tool_key(server or None, raw["name"])
                facts = Facts(
                    tool_key=key,
                    connector_status="published",
                    visible=True,
                    connection_state=self.state,
                    rule=rules.get(key),
                    grant=self.grant,
                    discovered=True,
                )
                if is_in_view(facts):
                    found[self._address(server, raw["name"])] = _Found(raw, facts, self)
        return found

    def undiscovered(self) -> Undiscovered:
        failure = failure_of(self.connection.pk)
        return Undiscovered(self.connection.pk, self.key, self.connection.alias, failure.code if failure else "")

    def _address(self, server: str, tool: str) -> Address:
        return Address(self.key, server, tool, self.connection.pk, self.connection.alias)


def grant_facts(grant: Grant) -> GrantFacts:
    return GrantFacts(grant.breadth, grant.access, frozenset(grant.tools))


def rules_of(manifest: Manifest) -> dict[str, ToolRule]:
    """Return the package's tool policy by tool key."""
    return {
        rule.key: ToolRule(rule.effect, rule.retry, rule.effective_confirmation) for rule in manifest.tool_policy.rules
    }


def usable_toolset(connection: Connection) -> Toolset | None:
    """Return what the connection's servers listed, if it was listed under the package, configuration and authorization
    of now and nothing has failed since: an older list is for pages, never for a run (§11). A refreshed credential is
    the same authorization."""
    toolset: Toolset | None = getattr(connection, "toolset", None)
    if toolset is None or failure_of(connection.pk) is not None:
        return None
    listed_under = (toolset.manifest_revision, toolset.configuration_revision, toolset.grant_revision)
    now = (
        connection.connector.version.manifest_revision,
        connection.connector.configuration_revision,
        connection.grant_revision,
    )
    return toolset if listed_under == now else None


def _define(name: str, raw: dict[str, Any], tool: SnapshotTool) -> dict[str, Any]:
    """Return a tool's definition as our clients see it: our name, its own title, hints that follow the policy."""
    definition = {key: value for key, value in raw.items() if key not in _NOT_OURS}
    given = raw.get("annotations")
    annotations = dict(given) if isinstance(given, dict) else {}
    annotations["readOnlyHint"] = tool.is_read
    if not tool.is_read:
        annotations["destructiveHint"] = tool.effect != "write"
    titles = (raw.get("title"), annotations.get("title"), raw["name"])
    title = next(text for text in titles if isinstance(text, str) and text)
    return {**definition, "name": name, "title": title, "annotations": annotations}
