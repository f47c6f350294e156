"""What this room's own faults say."""

from connectors.manifest.fault_messages import FaultWords, register_fault_texts

register_fault_texts(
    {
        "not_an_option": FaultWords(
            en=("This is not one of the choices.", "Choose one of those that are offered."),
            zh=("这不是可选项。", "请从给出的选项中选择。"),
        ),
    }
)
