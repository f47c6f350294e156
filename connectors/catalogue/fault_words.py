"""What the catalogue's own faults say; they stand beside a field of a form."""

from connectors.manifest.fault_messages import FaultWords, register_fault_texts

register_fault_texts(
    {
        "secret_not_clearable": FaultWords(
            en=("This secret is required.", "Type another one to replace it."),
            zh=("此密钥为必填项。", "如需更换，请输入新的密钥。"),
        ),
        "secret_needed_again": FaultWords(
            en=(
                "An address now leads to another server, and this secret was given for the old one.",
                "Type the secret again for the new server, or clear it.",
            ),
            zh=("地址已指向另一台服务器，而此密钥是为原服务器提供的。", "请为新服务器重新输入密钥，或将其清除。"),
        ),
        "not_a_header_value": FaultWords(
            en=(
                "It cannot be sent to the service as it is.",
                "Use visible ASCII characters only, on one line, without blanks around them.",
            ),
            zh=("无法按此内容发送给服务。", "只能使用可见的 ASCII 字符，且不能换行。"),
        ),
    }
)
