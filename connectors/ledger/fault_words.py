"""What this room's own faults say."""

from connectors.manifest.fault_messages import FaultWords, register_fault_texts

register_fault_texts(
    {
        "reason_needed": FaultWords(
            en=("This is not what its use suggests.", "Say in a few words why."),
            zh=("这与按使用情况给出的建议不同。", "请简要说明原因。"),
        ),
        "owner_inactive": FaultWords(
            en=("This person may not sign in.", "Choose somebody who may."),
            zh=("此人目前不能登录。", "请选择可以登录的人。"),
        ),
        "webhook_address_refused": FaultWords(
            en=("This is not an address this console may call.", "Give a public https address."),
            zh=("此控制台不能访问该地址。", "请填写公网 https 地址。"),
        ),
        "checklist_unknown": FaultWords(
            en=("The checklist has no such item.", "Answer the items that are shown."),
            zh=("清单中没有这一项。", "请回答所列项目。"),
        ),
    }
)
