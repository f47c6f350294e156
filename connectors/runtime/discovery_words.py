"""What differences between a program's tools and its policy say, and what `run_program` says about its input."""

from connectors.manifest.fault_messages import register_fault_texts
from connectors.manifest.fault_words import FaultWords

DISCOVERY_FAULTS = {
    "tool_repeated": FaultWords(
        en=("The program lists this tool {times} times.", "List each key once in tools_discover."),
        zh=("程序重复返回该工具 {times} 次。", "tools_discover 中每个 key 只返回一次。"),
    ),
    "tool_not_in_policy": FaultWords(
        en=("The program lists this tool, but no rule allows it.", "Add a rule, or stop listing the tool."),
        zh=("程序返回了该工具，但没有规则允许它。", "请添加规则，或不再返回该工具。"),
    ),
    "tool_not_discovered": FaultWords(
        en=("A rule names this tool, but the program does not list it.", "List the tool, or remove the rule."),
        zh=("规则声明了该工具，但程序没有返回它。", "请返回该工具，或删除该规则。"),
    ),
    "tool_effect_differs": FaultWords(
        en=("The program says effect “{program}”, the rule “{policy}”.", "Make both say the same."),
        zh=("程序返回的 effect 为“{program}”，规则为“{policy}”。", "请使两者一致。"),
    ),
    "tool_retry_differs": FaultWords(
        en=("The program says retry_policy “{program}”, the rule “{policy}”.", "Make both say the same."),
        zh=("程序返回的 retry_policy 为“{program}”，规则的 retry 为“{policy}”。", "请使两者一致。"),
    ),
    "tool_confirmation_differs": FaultWords(
        en=("The program says confirmation “{program}”, the rule “{policy}”.", "Make both say the same."),
        zh=("程序返回的 confirmation 为“{program}”，规则为“{policy}”。", "请使两者一致。"),
    ),
    "program_absent": FaultWords(
        en=("This package has no program.", "Only packages with a “program” part have operations to run."),
        zh=("该安装包没有程序。", "只有声明了 program 的安装包才能运行操作。"),
    ),
    "context_no_object": FaultWords(
        en=("The context is not a JSON object.", "Write one object with the names of the handbook, §8."),
        zh=("上下文不是 JSON 对象。", "请写一个对象，使用手册第 8 节的名称。"),
    ),
    "context_name_unknown": FaultWords(
        en=("This operation's context has no such name.", "Use: {names}."),
        zh=("该操作的上下文没有这个名称。", "可用：{names}。"),
    ),
}
register_fault_texts(DISCOVERY_FAULTS)
