"""The tools of a connector as people see them: what the package allows, grouped by what they do to the world."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from connectors.gateway.models import Toolset
from connectors.manifest.schema import Manifest
from connectors.manifest.tool_keys import tool_key

# Safest first; the label and shape of each are the `effect` tag's.
MEANINGS: dict[str, str | Promise] = {
    "read": _("Looks things up. Nothing changes at the service."),
    "write": _("Creates or changes something at the service."),
    "destructive": _("Deletes or sends something that cannot be taken back."),
    "unknown": _("The package does not say what it does, so it counts as a write."),
}


@dataclass(frozen=True, slots=True)
class ToolLine:
    """One tool the package allows. `offered` is false when the account's servers did not list it last time."""

    key: str
    title: str
    description: str
    effect: str
    confirmed: bool
    offered: bool


@dataclass(frozen=True, slots=True)
class EffectGroup:
    effect: str
    meaning: str | Promise
    tools: tuple[ToolLine, ...]


def group_by_effect(tools: Iterable[ToolLine]) -> list[EffectGroup]:
    """Safest first, empty groups left out."""
    by_effect: dict[str, list[ToolLine]] = {effect: [] for effect in MEANINGS}
    for tool in tools:
        by_effect[tool.effect].append(tool)
    return [EffectGroup(effect, MEANINGS[effect], tuple(found)) for effect, found in by_effect.items() if found]


def list_tools(manifest: Manifest, toolset: Toolset | None) -> list[ToolLine]:
    """Every allowed tool; titles and descriptions come from the account's own list when there is one."""
    listed = _listed(toolset.tools) if toolset else {}
    lines = []
    for rule in manifest.tool_policy.rules:
        definition = listed.get(rule.key, {})
        lines.append(
            ToolLine(
                key=rule.key,
                title=_title(definition) or rule.tool,
                description=_text(definition.get("description")),
                effect=rule.effect,
                confirmed=rule.effective_confirmation == "user_required",
                offered=toolset is None or rule.key in listed,
            )
        )
    return lines


def _listed(tools: Mapping[str, list[dict[str, Any]]]) -> dict[str, dict[str, Any]]:
    pairs = ((server, tool) for server, defined in tools.items() for tool in defined)
    return {tool_key(server or None, str(tool.get("name", ""))): tool for server, tool in pairs}


def _title(definition: Mapping[str, Any]) -> str:
    annotations = definition.get("annotations")
    return _text(definition.get("title")) or _text(annotations.get("title") if isinstance(annotations, dict) else "")


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""
