"""Words for parts that do not fit together: identity, fields, authorization, runtime."""

from connectors.manifest.fault_words import FaultWords

FIT_FAULTS = {
    "permission_key_mismatch": FaultWords(
        en=("The permission key does not belong to this connector.", "Write “{expected}”."),
        zh=("permission_key 与连接器不符。", "请写“{expected}”。"),
    ),
    "locale_duplicate": FaultWords(
        en=("The language “{locale}” is listed twice.", "Keep one."),
        zh=("语言“{locale}”重复列出。", "只保留一个。"),
    ),
    "default_locale_not_listed": FaultWords(
        en=("The default language “{locale}” is not among the languages.", "Add it to “locales”."),
        zh=("默认语言“{locale}”不在 locales 中。", "请加入 locales。"),
    ),
    "field_duplicate": FaultWords(
        en=("The field “{key}” is declared twice.", "Rename or remove one."),
        zh=("字段“{key}”重复声明。", "请改名或删除其一。"),
    ),
    "constraint_not_for_type": FaultWords(
        en=("“{key}” does not go with the type {type}.", "Remove it, or use one of the types: {allowed}."),
        zh=("“{key}”不适用于 {type} 类型。", "请删除，或改用类型：{allowed}。"),
    ),
    "range_inverted": FaultWords(
        en=("“{low}” is above “{high}”.", "Swap or correct the two."),
        zh=("“{low}”大于“{high}”。", "请交换或更正。"),
    ),
    "options_missing": FaultWords(
        en=("A select needs options.", "Add “options” with a value and a label_key each."),
        zh=("select 必须声明选项。", "请添加 options，每项含 value 和 label_key。"),
    ),
    "options_not_for_type": FaultWords(
        en=("Only a select has options; this field is {type}.", "Remove “options”, or make the field a select."),
        zh=("只有 select 才有选项，此字段为 {type}。", "请删除 options，或改为 select。"),
    ),
    "option_duplicate": FaultWords(
        en=("The option “{value}” is there twice.", "Make the values unique."),
        zh=("选项“{value}”重复。", "选项值必须唯一。"),
    ),
    "secret_default": FaultWords(
        en=("A secret may not have a default: everyone who has the package would know it.", "Remove “default”."),
        zh=("secret 不允许默认值：拿到安装包的人都会知道它。", "请删除 default。"),
    ),
    "default_wrong_type": FaultWords(
        en=("The default is not of the field's type; expected: {expected}.", "Write a default of that type."),
        zh=("默认值与字段类型不符，应为：{expected}。", "请改为该类型的默认值。"),
    ),
    "default_refused": FaultWords(
        en=("The field would refuse its own default: {reason}", "Change the default or the constraint."),
        zh=("默认值不满足字段自身的约束：{reason}", "请修改默认值或约束。"),
    ),
    "auth_fields_without_form": FaultWords(
        en=("Nobody is asked anything with the interaction “{interaction}”.", "Empty “fields”, or use the form."),
        zh=("交互方式为“{interaction}”时不会向用户提问。", "请清空 fields，或改用 form。"),
    ),
    "auth_fields_missing": FaultWords(
        en=("Static credentials need at least one field to ask for.", "Declare the key or password in “fields”."),
        zh=("静态凭据至少需要一个字段。", "请在 fields 中声明密钥或密码。"),
    ),
    "configuration_field_unknown": FaultWords(
        en=("There is no configuration field “{key}”.", "Declare it in configuration.fields, or correct the name."),
        zh=("没有配置字段“{key}”。", "请在 configuration.fields 中声明，或更正名称。"),
    ),
    "configuration_field_type": FaultWords(
        en=("The configuration field “{key}” is {type}.", "It must be of type: {allowed}."),
        zh=("配置字段“{key}”的类型为 {type}。", "类型必须为：{allowed}。"),
    ),
    "configuration_field_optional": FaultWords(
        en=("The configuration field “{key}” may be left empty.", "Set “required” to true on it."),
        zh=("配置字段“{key}”可以留空。", "请将其 required 设为 true。"),
    ),
    "client_secret_missing": FaultWords(
        en=(
            "“{method}” needs a client secret.",
            "Name a secret configuration field, or use the method “none” for a public client.",
        ),
        zh=("“{method}”需要客户端密钥。", "请指定一个 secret 配置字段；公共客户端请使用 none。"),
    ),
    "client_secret_not_allowed": FaultWords(
        en=("A public client (method “none”) has no secret.", "Remove client_secret_configuration_field."),
        zh=("公共客户端（none）没有密钥。", "请删除 client_secret_configuration_field。"),
    ),
    "scope_duplicate": FaultWords(
        en=("The scope “{scope}” is listed twice.", "Keep one."),
        zh=("scope“{scope}”重复列出。", "只保留一个。"),
    ),
    "origin_differs_from_issuer": FaultWords(
        en=("This address is on another site than the issuer.", "Scheme, host and port must be those of {issuer}."),
        zh=("此地址与 issuer 不同源。", "协议、主机和端口必须与 {issuer} 相同。"),
    ),
    "endpoint_source": FaultWords(
        en=("An endpoint has one source.", "Give either “url” or “configuration_field”, not both and not neither."),
        zh=("endpoint 只能有一个来源。", "url 与 configuration_field 必须且只能填写一个。"),
    ),
    "endpoint_or_servers": FaultWords(
        en=("A remote MCP runtime has one endpoint or several servers.", "Declare exactly one of the two."),
        zh=("远程 MCP 要么有一个 endpoint，要么有多个 servers。", "两者必须且只能声明一个。"),
    ),
    "server_duplicate": FaultWords(
        en=("The server “{key}” is declared twice.", "Give each server a key of its own."),
        zh=("服务“{key}”重复声明。", "服务 key 必须唯一。"),
    ),
    "binding_without_credential": FaultWords(
        en=("There is no credential to send: the strategy is “none”.", "Set the binding's type to “none”."),
        zh=("策略为 none，没有可发送的凭据。", "请将 credential_binding 的 type 设为 none。"),
    ),
    "credential_field_unknown": FaultWords(
        en=("The authorization yields no value “{key}”.", "Use one of: {allowed}."),
        zh=("授权结果中没有“{key}”。", "可用值：{allowed}。"),
    ),
    "program_missing": FaultWords(
        en=("The strategy or adapter is “program”, but no program is declared.", "Add “program” with an entrypoint."),
        zh=("策略或适配器为 program，但未声明 program。", "请添加 program 及其 entrypoint。"),
    ),
    "program_not_used": FaultWords(
        en=("A program is declared, but neither strategy nor adapter uses it.", "Remove “program”, or use it."),
        zh=("声明了 program，但策略和适配器都没有使用。", "请删除 program，或使用它。"),
    ),
    "capability_duplicate": FaultWords(
        en=("The capability “{capability}” is listed twice.", "Keep one."),
        zh=("能力“{capability}”重复列出。", "只保留一个。"),
    ),
}
