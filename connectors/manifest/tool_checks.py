"""The tool policy (handbook §6)."""

from collections.abc import Iterator

from connectors.errors import Fault
from connectors.manifest.identity_checks import repeated
from connectors.manifest.parts import Parts
from connectors.manifest.runtime import RemoteMcpRuntime
from connectors.manifest.tools import Rule


def check_tools(parts: Parts) -> Iterator[Fault]:
    if parts.tool_policy is None:
        return
    rules = parts.tool_policy.rules
    for index, key in repeated(rule.key for rule in rules):
        yield Fault("rule_duplicate", f"/tool_policy/rules/{index}", {"tool": key})
    for index, rule in enumerate(rules):
        place = f"/tool_policy/rules/{index}"
        yield from _check_rule(rule, place)
        yield from _check_server(parts, rule, place)


def _check_rule(rule: Rule, place: str) -> Iterator[Fault]:
    named = {"tool": rule.key, "effect": rule.effect}
    if rule.effect == "read":
        return
    if rule.retry != "never":
        yield Fault("rule_retry", f"{place}/retry", named)
    if rule.confirmation is None:
        yield Fault("rule_confirmation_missing", f"{place}/confirmation", named)
    elif rule.effect != "write" and rule.confirmation != "user_required":
        yield Fault("rule_confirmation_weak", f"{place}/confirmation", named)


def _check_server(parts: Parts, rule: Rule, place: str) -> Iterator[Fault]:
    if parts.runtime is None:
        return
    servers = parts.runtime.options.servers if isinstance(parts.runtime, RemoteMcpRuntime) else None
    keys = tuple(server.key for server in servers or ())
    if rule.server is None and servers is not None:
        yield Fault("rule_server_missing", f"{place}/server", {"tool": rule.tool, "allowed": keys})
    elif rule.server is not None and servers is None:
        yield Fault("rule_server_not_allowed", f"{place}/server", {"tool": rule.tool})
    elif rule.server is not None and rule.server not in keys:
        yield Fault("rule_server_unknown", f"{place}/server", {"server": rule.server, "allowed": keys})
