"""What a program discovers must equal the manifest's policy, tool by tool (handbook §6, §10)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from connectors.errors import Fault
from connectors.manifest.tools import Rule
from connectors.runtime.program_results import DiscoveredTool


def compare_with_policy(tools: Sequence[DiscoveredTool], rules: Iterable[Rule]) -> tuple[Fault, ...]:
    """Return every difference; each fault's `where` is the tool's key. A differing tool must not be offered."""
    by_key = {rule.key: rule for rule in rules}
    faults = [Fault("tool_repeated", key, {"times": times}) for key, times in _repeated(tools)]
    for tool in tools:
        rule = by_key.get(tool.key)
        if rule is None:
            faults.append(Fault("tool_not_in_policy", tool.key))
        else:
            faults += _differences(tool, rule)
    discovered = {tool.key for tool in tools}
    faults += [Fault("tool_not_discovered", key) for key in by_key if key not in discovered]
    return tuple(faults)


def _repeated(tools: Sequence[DiscoveredTool]) -> list[tuple[str, int]]:
    counts = Counter(tool.key for tool in tools)
    return [(key, count) for key, count in counts.items() if count > 1]


def _differences(tool: DiscoveredTool, rule: Rule) -> Iterator[Fault]:
    said_and_ruled = {
        "effect": (tool.effect, rule.effect),
        "retry": (tool.retry_policy, rule.retry),
        "confirmation": (tool.effective_confirmation, rule.effective_confirmation),
    }
    for what, (said, ruled) in said_and_ruled.items():
        if said != ruled:
            yield Fault(f"tool_{what}_differs", tool.key, {"program": said, "policy": ruled})
