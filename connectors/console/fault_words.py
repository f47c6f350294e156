"""What faults of people's, teams' and agents' names say; `access` lies below the room that keeps faults' words."""

from connectors.manifest.fault_messages import FaultWords, register_fault_texts

register_fault_texts(
    {
        "name_invalid": FaultWords(
            en=("This cannot be a name.", "Use 1 to {longest} printable characters."),
            zh=("这不能用作名称。", "请使用 1 到 {longest} 个可打印字符。"),
        ),
        "username_invalid": FaultWords(
            en=("Nobody can sign in under this name.", "Use up to 150 letters, digits and @ . + - _"),
            zh=("无法使用此登录名。", "请使用不超过 150 个字母、数字或 @ . + - _"),
        ),
        "email_invalid": FaultWords(
            en=("This is no e-mail address.", "Write it like name@example.com, or leave it empty."),
            zh=("这不是有效的电子邮件地址。", "请按 name@example.com 的格式填写，或留空。"),
        ),
        "role_unknown": FaultWords(
            en=("There is no such role.", "Choose administrator, auditor or user."),
            zh=("没有这个角色。", "请选择管理员、审计员或用户。"),
        ),
    }
)
