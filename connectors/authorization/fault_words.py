"""What this room's own faults say; they stand beside a field of a form."""

from connectors.manifest.fault_messages import FaultWords, register_fault_texts

register_fault_texts(
    {
        "alias_needed": FaultWords(
            en=("You have an account here already.", "Give this one an alias that tells them apart, such as “work”."),
            zh=("你已在此连接了一个账号。", "请为这个账号起一个便于区分的别名，例如“工作”。"),
        ),
        "credentials_refused": FaultWords(
            en=("The service did not accept this: {message}", "Check what you typed, then try again."),
            zh=("服务没有接受这些信息：{message}", "请检查后重试。"),
        ),
        "alias_invalid": FaultWords(
            en=("This cannot be an alias.", "Use 1 to {longest} printable characters."),
            zh=("这不能用作别名。", "请使用 1 到 {longest} 个可打印字符。"),
        ),
        "parameter_repeated": FaultWords(
            en=("The parameter {where} came more than once.", "Start the authorization again."),
            zh=("参数 {where} 重复出现。", "请重新开始授权。"),
        ),
    }
)
