"""What the catalogue's own faults say."""

from connectors.manifest.fault_messages import FaultWords, register_fault_texts

register_fault_texts(
    {
        "configuration_refused": FaultWords(
            en=("The package's program refuses these values: {message}", "Change what it names, then save again."),
            zh=("安装包的程序不接受这些值：{message}", "请按提示修改后重新保存。"),
        ),
    }
)
