"""Words for a manifest's shape: keys, types, sizes, and texts that do not fit their form."""

from connectors.manifest.fault_words import FaultWords

_NAME_EN = "Start with a lower-case letter; then lower-case letters, digits, “_” and “-”, at most 64 characters."
_NAME_ZH = "以小写字母开头，只含小写字母、数字、“_”和“-”，最长 64 个字符。"

SHAPE_FAULTS = {
    "more_faults": FaultWords(
        en=("There are {count} more faults.", "Mend these first, then check again."),
        zh=("另有 {count} 个问题。", "请先修复以上问题，再重新检查。"),
    ),
    "key_missing": FaultWords(
        en=("The key “{key}” is missing.", "Add it."),
        zh=("缺少键“{key}”。", "请补上。"),
    ),
    "key_unknown": FaultWords(
        en=("The key “{key}” is not part of the manifest.", "Remove it, or correct its spelling."),
        zh=("清单中没有键“{key}”。", "请删除，或更正拼写。"),
    ),
    "wrong_type": FaultWords(
        en=("The value has the wrong type; expected: {expected}.", "Write a value of that JSON type."),
        zh=("值的类型不对，应为：{expected}。", "请改为该 JSON 类型的值。"),
    ),
    "value_not_allowed": FaultWords(
        en=("“{value}” is not allowed here.", "Use one of: {allowed}."),
        zh=("此处不允许“{value}”。", "可用值：{allowed}。"),
    ),
    "interaction_mismatch": FaultWords(
        en=("The interaction “{value}” does not go with this strategy.", "Set it to “{allowed}”."),
        zh=("交互方式“{value}”与该授权策略不符。", "请设为“{allowed}”。"),
    ),
    "too_long": FaultWords(
        en=("The text is longer than {limit} characters.", "Shorten it."),
        zh=("文本超过 {limit} 个字符。", "请缩短。"),
    ),
    "too_few_items": FaultWords(
        en=("The list has too few items; at least {limit}.", "Add what is missing, or leave the key out."),
        zh=("列表项过少，至少 {limit} 项。", "请补充，或去掉该键。"),
    ),
    "too_many_items": FaultWords(
        en=("The list has more than {limit} items.", "Remove some."),
        zh=("列表超过 {limit} 项。", "请减少。"),
    ),
    "number_too_small": FaultWords(
        en=("The number is below {limit}.", "Use {limit} or more."),
        zh=("数字小于 {limit}。", "请使用不小于 {limit} 的数字。"),
    ),
    "number_too_large": FaultWords(
        en=("The number is above {limit}.", "Use {limit} or less."),
        zh=("数字大于 {limit}。", "请使用不大于 {limit} 的数字。"),
    ),
    "key_malformed": FaultWords(
        en=("“{value}” cannot be a connector's key.", _NAME_EN), zh=("“{value}”不能作为连接器的 key。", _NAME_ZH)
    ),
    "category_malformed": FaultWords(
        en=("“{value}” cannot be a category.", _NAME_EN), zh=("“{value}”不能作为分类标识。", _NAME_ZH)
    ),
    "server_key_malformed": FaultWords(
        en=("“{value}” cannot be a server's key.", _NAME_EN), zh=("“{value}”不能作为服务的 key。", _NAME_ZH)
    ),
    "skill_key_malformed": FaultWords(
        en=("“{value}” cannot be a Skill's key.", _NAME_EN), zh=("“{value}”不能作为 Skill 的 key。", _NAME_ZH)
    ),
    "field_key_malformed": FaultWords(
        en=(
            "“{value}” cannot be a field's key.",
            "Start with a lower-case letter; then lower-case letters, digits and “_”, at most 64 characters.",
        ),
        zh=("“{value}”不能作为字段的 key。", "以小写字母开头，只含小写字母、数字和“_”，最长 64 个字符。"),
    ),
    "credential_field_malformed": FaultWords(
        en=("“{value}” cannot name a credential value.", "Use letters, digits, “_”, “.” and “-”; no spaces."),
        zh=("“{value}”不能作为凭据值的名称。", "只用字母、数字、“_”、“.”和“-”，不含空格。"),
    ),
    "version_malformed": FaultWords(
        en=("“{value}” is not a package version.", "Write major.minor.patch without leading zeros, such as 1.2.0."),
        zh=("“{value}”不是合法的包版本。", "请写 major.minor.patch，不带前导零，例如 1.2.0。"),
    ),
    "contract_version_malformed": FaultWords(
        en=("The authorization contract version is empty or has control characters.", "Use a short text such as “1”."),
        zh=("授权契约版本为空或含有控制字符。", "请使用简短文本，例如“1”。"),
    ),
    "locale_malformed": FaultWords(
        en=("“{value}” is not a language tag.", "Use a BCP 47 tag, such as en or zh-CN."),
        zh=("“{value}”不是语言标签。", "请使用 BCP 47 标签，例如 en 或 zh-CN。"),
    ),
    "text_key_malformed": FaultWords(
        en=("“{value}” cannot be a text's key.", "Use letters, digits, “.”, “_” and “-”, such as capabilities.title."),
        zh=("“{value}”不能作为文案的键。", "只用字母、数字、“.”、“_”和“-”，例如 capabilities.title。"),
    ),
    "url_malformed": FaultWords(
        en=(
            "“{value}” is not a web address that can be used here.",
            "Write an absolute http:// or https:// address without user name, password, fragment or spaces.",
        ),
        zh=("“{value}”不是可用的网址。", "请写完整的 http:// 或 https:// 地址，不含用户名、密码、片段和空格。"),
    ),
    "header_name_refused": FaultWords(
        en=(
            "“{value}” may not be set by a package.",
            "Use Authorization or a header of the service's own, never Host, Cookie, Connection, Content-* or Mcp-*.",
        ),
        zh=(
            "安装包不能设置请求头“{value}”。",
            "请使用 Authorization 或服务自己的请求头，不能用 Host、Cookie、Connection、Content-*、Mcp-*。",
        ),
    ),
    "header_scheme_malformed": FaultWords(
        en=("“{value}” is not an authorization scheme.", "Use one word, such as Bearer."),
        zh=("“{value}”不是授权方案。", "请使用一个单词，例如 Bearer。"),
    ),
    "scope_malformed": FaultWords(
        en=("“{value}” is not one scope.", "List each scope on its own, without spaces, quotes or backslashes."),
        zh=("“{value}”不是单个 scope。", "逐个列出 scope，不含空格、引号和反斜杠。"),
    ),
    "tool_name_malformed": FaultWords(
        en=("“{value}” cannot be a tool's name.", "Write the name exactly as the service lists it."),
        zh=("“{value}”不能作为工具名。", "请按服务列出的原名填写。"),
    ),
    "option_value_malformed": FaultWords(
        en=("An option's value is empty or has control characters.", "Give it a visible text."),
        zh=("选项值为空或含有控制字符。", "请填写可见文本。"),
    ),
    "icon_path_malformed": FaultWords(
        en=("“{value}” cannot be the icon's path.", "Put the icon under assets/, such as assets/icon.svg."),
        zh=("“{value}”不能作为图标路径。", "图标须放在 assets/ 下，例如 assets/icon.svg。"),
    ),
    "skill_path_malformed": FaultWords(
        en=("“{value}” cannot be a Skill's folder.", "Name a folder under skills/, such as skills/search-records."),
        zh=("“{value}”不能作为 Skill 目录。", "须为 skills/ 下的目录，例如 skills/search-records。"),
    ),
    "entrypoint_malformed": FaultWords(
        en=("“{value}” cannot be the program's entry point.", "Name a .py file under provider/."),
        zh=("“{value}”不能作为程序入口。", "须为 provider/ 下的 .py 文件。"),
    ),
}
