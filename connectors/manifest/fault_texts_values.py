"""Words for what people type into a connector's fields."""

from connectors.manifest.fault_words import FaultWords

VALUE_FAULTS = {
    "value_required": FaultWords(en=("This field is required.", "Fill it in."), zh=("此项必填。", "请填写。")),
    "value_too_short": FaultWords(
        en=("At least {limit} characters; this has {length}.", "Check that it is complete."),
        zh=("至少 {limit} 个字符，当前 {length} 个。", "请检查是否完整。"),
    ),
    "value_too_long": FaultWords(
        en=("At most {limit} characters; this has {length}.", "Shorten it."),
        zh=("最多 {limit} 个字符，当前 {length} 个。", "请缩短。"),
    ),
    "value_control_characters": FaultWords(
        en=("There are characters in it that cannot be used.", "Type it on one line, without control characters."),
        zh=("含有不可用的字符。", "请在一行内填写，不含控制字符。"),
    ),
    "text_unshowable": FaultWords(
        en=("There are characters in it that nobody can see.", "Type it anew, without control characters."),
        zh=("含有看不见的字符。", "请重新输入，不含控制字符。"),
    ),
    "value_not_url": FaultWords(
        en=(
            "This is not a web address.",
            "Start with http:// or https://; no user name, password, fragment or spaces.",
        ),
        zh=("这不是网址。", "须以 http:// 或 https:// 开头，不含用户名、密码、片段和空格。"),
    ),
    "value_not_integer": FaultWords(
        en=("This is not a whole number.", "Write digits only, such as 30."),
        zh=("这不是整数。", "请只写数字，例如 30。"),
    ),
    "value_too_small": FaultWords(
        en=("The smallest allowed number is {limit}.", "Use {limit} or more."),
        zh=("最小为 {limit}。", "请填写不小于 {limit} 的数字。"),
    ),
    "value_too_large": FaultWords(
        en=("The largest allowed number is {limit}.", "Use {limit} or less."),
        zh=("最大为 {limit}。", "请填写不大于 {limit} 的数字。"),
    ),
    "value_not_boolean": FaultWords(
        en=("This is neither yes nor no.", "Use “true” or “false”."),
        zh=("既不是“是”也不是“否”。", "请使用 true 或 false。"),
    ),
    "value_not_option": FaultWords(
        en=("This is not one of the options.", "Choose one of: {allowed}."),
        zh=("不是可选项之一。", "可选：{allowed}。"),
    ),
    "value_unknown_field": FaultWords(
        en=("There is no field “{where}”.", "Remove it, or correct the name."),
        zh=("没有字段“{where}”。", "请删除，或更正名称。"),
    ),
}
