"""Words for actions, tool rules, Skills, texts and files, and for the warnings."""

from connectors.manifest.fault_words import FaultWords

CONTENT_FAULTS = {
    "action_address_source": FaultWords(
        en=("“open_service” opens one address.", "Give either “url” or “url_source”, not both and not neither."),
        zh=("open_service 只打开一个地址。", "url 与 url_source 必须且只能填写一个。"),
    ),
    "launch_url_not_offered": FaultWords(
        en=("No program offers a launch URL.", "Add “launch_url” to program.capabilities, or give a fixed url."),
        zh=("没有程序提供 launch_url。", "请在 program.capabilities 中加入 launch_url，或使用固定 url。"),
    ),
    "rule_duplicate": FaultWords(
        en=("There are two rules for the tool “{tool}”.", "Keep one."),
        zh=("工具“{tool}”有两条规则。", "只保留一条。"),
    ),
    "rule_retry": FaultWords(
        en=("“{tool}” is {effect}: calling it twice may act twice.", "Set “retry” to “never”."),
        zh=("“{tool}”的 effect 为 {effect}，重复调用可能重复生效。", "请将 retry 设为 never。"),
    ),
    "rule_confirmation_missing": FaultWords(
        en=("“{tool}” is {effect} and must say whether a person confirms it.", "Add “confirmation”."),
        zh=("“{tool}”的 effect 为 {effect}，必须说明是否需要确认。", "请添加 confirmation。"),
    ),
    "rule_confirmation_weak": FaultWords(
        en=("“{tool}” is {effect}: a person must confirm it.", "Set “confirmation” to “user_required”."),
        zh=("“{tool}”的 effect 为 {effect}，必须由人确认。", "请将 confirmation 设为 user_required。"),
    ),
    "rule_server_missing": FaultWords(
        en=("The rule for “{tool}” does not say which server it means.", "Add “server”, one of: {allowed}."),
        zh=("工具“{tool}”的规则没有指定服务。", "请添加 server，可用值：{allowed}。"),
    ),
    "rule_server_not_allowed": FaultWords(
        en=("The connector has no “servers”, so the rule for “{tool}” may not name one.", "Remove “server”."),
        zh=("连接器没有声明 servers，工具“{tool}”的规则不能指定服务。", "请删除 server。"),
    ),
    "rule_server_unknown": FaultWords(
        en=("There is no server “{server}”.", "Use one of: {allowed}."),
        zh=("没有服务“{server}”。", "可用值：{allowed}。"),
    ),
    "skill_duplicate": FaultWords(
        en=("The Skill “{key}” is declared twice.", "Give each Skill a key of its own."),
        zh=("Skill“{key}”重复声明。", "Skill key 必须唯一。"),
    ),
    "skill_path_duplicate": FaultWords(
        en=("Two Skills share the folder “{path}”.", "Give each Skill a folder of its own."),
        zh=("两个 Skill 使用同一目录“{path}”。", "每个 Skill 须有自己的目录。"),
    ),
    "skill_path_nested": FaultWords(
        en=("The Skill folder “{path}” lies inside “{other}”.", "Put the two folders side by side."),
        zh=("Skill 目录“{path}”位于“{other}”之内。", "请将两个目录并列放置。"),
    ),
    "text_missing": FaultWords(
        en=("The text “{key}” is missing in {locale}.", "Add it to locales/{locale}.json."),
        zh=("{locale} 中缺少文案“{key}”。", "请加入 locales/{locale}.json。"),
    ),
    "text_empty": FaultWords(
        en=("The text “{key}” is empty in {locale}.", "Write it in locales/{locale}.json."),
        zh=("{locale} 中文案“{key}”为空。", "请在 locales/{locale}.json 中填写。"),
    ),
    "text_too_long": FaultWords(
        en=("The text “{key}” is longer than {limit} characters in {locale}.", "Shorten it in locales/{locale}.json."),
        zh=("{locale} 中文案“{key}”超过 {limit} 个字符。", "请在 locales/{locale}.json 中缩短。"),
    ),
    "text_hides": FaultWords(
        en=(
            "The text “{key}” holds control characters or marks that reorder it in {locale}.",
            "Remove them in locales/{locale}.json.",
        ),
        zh=("{locale} 中文案“{key}”含有控制字符或改变文字顺序的字符。", "请在 locales/{locale}.json 中删除。"),
    ),
    "locale_file_missing": FaultWords(
        en=("The file {path} is missing.", "Add it, or remove the language from “locales”."),
        zh=("缺少文件 {path}。", "请添加该文件，或从 locales 中去掉该语言。"),
    ),
    "icon_missing": FaultWords(
        en=("The icon {path} is not in the package.", "Add the file, or correct the path."),
        zh=("包内没有图标 {path}。", "请添加文件，或更正路径。"),
    ),
    "entrypoint_missing": FaultWords(
        en=("The program {path} is not in the package.", "Add the file, or correct the path."),
        zh=("包内没有程序 {path}。", "请添加文件，或更正路径。"),
    ),
    "skill_file_missing": FaultWords(
        en=("{path} is missing.", "Every Skill folder needs a SKILL.md."),
        zh=("缺少 {path}。", "每个 Skill 目录必须包含 SKILL.md。"),
    ),
    # Warnings: allowed, but probably not meant.
    "policy_empty": FaultWords(
        en=("No tool is allowed, so the connector can do nothing.", "Add a rule for each tool to offer."),
        zh=("没有允许任何工具，连接器什么也做不了。", "请为要开放的工具逐个添加规则。"),
    ),
    "icon_not_given": FaultWords(
        en=("The package has no icon.", "Add assets/icon.svg and name it in presentation.icon."),
        zh=("安装包没有图标。", "请添加 assets/icon.svg，并在 presentation.icon 中声明。"),
    ),
    "locale_not_listed": FaultWords(
        en=("This language file is not used: the manifest does not list its language.", "Add it to “locales”."),
        zh=("清单未列出该语言，此文件不会使用。", "请将该语言加入 locales。"),
    ),
    "provider_not_used": FaultWords(
        en=("There is a provider/ folder, but the manifest declares no program.", "Remove it, or declare it."),
        zh=("存在 provider/ 目录，但清单没有声明 program。", "请删除该目录，或声明 program。"),
    ),
}
