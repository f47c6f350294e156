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


# Why a listed tool was left out, by the reason kept with the toolset.
LEFT_OUT: dict[str, str | Promise] = {
    "not_an_object": _("It is not described as the protocol asks."),
    "name_invalid": _("Its name is missing, too long, or has unprintable characters."),
    "name_repeated": _("Another tool of the server has the same name."),
    "text_invalid": _("Its title or description is not text."),
    "input_schema_invalid": _("What it takes is not described as the protocol asks."),
    "input_schema_too_large": _("The description of what it takes is too large."),
    "input_schema_too_deep": _("The description of what it takes is nested too deeply."),
    "output_schema_invalid": _("What it returns is not described as the protocol asks."),
    "output_schema_too_large": _("The description of what it returns is too large."),
    "output_schema_too_deep": _("The description of what it returns is nested too deeply."),
    "tool_effect_differs": _("The program states another effect than the package."),
    "tool_retry_differs": _("The program states another retry rule than the package."),
    "tool_confirmation_differs": _("The program states another confirmation than the package."),
    "tool_repeated": _("The program lists it twice."),
    "tool_not_in_policy": _("The package does not allow it."),
    "tool_not_discovered": _("The package allows it, and the program does not offer it."),
}


@dataclass(frozen=True, slots=True)
class LeftOut:
    name: str
    reason: str | Promise


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


def list_left_out(toolset: Toolset | None) -> list[LeftOut]:
    """Tools the server listed and nobody can use, each with the reason."""
    rows: list[dict[str, str]] = toolset.malformed if toolset else []
    return [LeftOut(row.get("name") or "?", LEFT_OUT.get(row["reason"], row["reason"])) for row in rows]


def _listed(tools: Mapping[str, list[dict[str, Any]]]) -> dict[str, dict[str, Any]]:
    pairs = ((server, tool) for server, defined in tools.items() for tool in defined)
    return {tool_key(server or None, str(tool.get("name", ""))): tool for server, tool in pairs}


def _title(definition: Mapping[str, Any]) -> str:
    annotations = definition.get("annotations")
    return _text(definition.get("title")) or _text(annotations.get("title") if isinstance(annotations, dict) else "")


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""
