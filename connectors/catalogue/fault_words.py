"""What the catalogue's own faults say."""

from connectors.manifest.fault_messages import FaultWords, register_fault_texts

register_fault_texts(
    {
        "configuration_refused": FaultWords(
            en=("The package's program refuses these values: {message}", "Change what it names, then save again."),
            zh=("安装包的程序不接受这些值：{message}", "请按提示修改后重新保存。"),
        ),
        "secret_not_clearable": FaultWords(
            en=("This secret is required and cannot be cleared.", "Replace it instead."),
            zh=("该密钥为必填项，不能清除。", "请改为替换。"),
        ),
        "secret_needed_again": FaultWords(
            en=("An address changed, so the stored secret will not be sent there.", "Type the secret again."),
            zh=("地址已改变，已保存的密钥不会发送到新地址。", "请重新输入密钥。"),
        ),
        "not_a_header_value": FaultWords(
            en=("This cannot be sent in a header.", "Remove line breaks and characters that cannot be printed."),
            zh=("该值不能作为请求头发送。", "请去掉换行和不可打印的字符。"),
        ),
        "category_name_taken": FaultWords(
            en=("Another category has this name.", "Choose another name, or merge the two."),
            zh=("已有分类使用该名称。", "请换一个名称，或合并两个分类。"),
        ),
        "category_icon_unknown": FaultWords(
            en=("There is no icon {icon}.", "Choose one of those shown."),
            zh=("没有名为 {icon} 的图标。", "请从列出的图标中选择。"),
        ),
        "category_language_unknown": FaultWords(
            en=("This console does not speak this language.", "Name the category in one of the languages shown."),
            zh=("控制台不支持该语言。", "请使用列出的语言命名。"),
        ),
    }
)
