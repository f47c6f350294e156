"""What `check --run` says about a package's program."""

from connectors.manifest.fault_messages import register_fault_texts
from connectors.manifest.fault_words import FaultWords

_ALONE = (
    "Run it alone and read what it wrote: poco-package run . {operation}",
    "请单独运行并查看输出：poco-package run . {operation}",
)
EXERCISE_FAULTS = {
    "run_no_answer": FaultWords(
        en=("The program ended without an answer. It said last: {said}", _ALONE[0]),
        zh=("程序没有返回结果就结束了，最后输出：{said}", _ALONE[1]),
    ),
    "run_exit_code": FaultWords(
        en=(
            "The program answered and then ended with exit code {exit_code}. It said last: {said}",
            _ALONE[0],
        ),
        zh=("程序返回结果后以退出码 {exit_code} 结束，最后输出：{said}", _ALONE[1]),
    ),
    "run_answer_not_json": FaultWords(
        en=(
            "The answer is not one JSON object.",
            "Print the answer alone to standard output; notes go to standard error.",
        ),
        zh=("返回的内容不是单个 JSON 对象。", "标准输出只写结果，日志写到标准错误。"),
    ),
    "run_envelope_wrong": FaultWords(
        en=(
            "The envelope of the answer is not the protocol's, at “{place}”.",
            "Answer with protocol_version, ok and result or error, nothing else.",
        ),
        zh=("响应信封不符合协议，位置“{place}”。", "只返回 protocol_version、ok，以及 result 或 error。"),
    ),
    "run_result_wrong": FaultWords(
        en=(
            "The result is not what this operation returns, at “{place}”.",
            "See the table of operations; unknown keys are refused too.",
        ),
        zh=("结果不符合该操作的格式，位置“{place}”。", "请对照操作清单；多余的键也会被拒绝。"),
    ),
    "run_too_long": FaultWords(
        en=(
            "It took longer than {seconds} s.",
            "Do less, or put a shorter time limit on what it waits for.",
        ),
        zh=("耗时超过 {seconds} 秒。", "请减少工作量，或为等待设置更短的超时。"),
    ),
    "run_too_large": FaultWords(
        en=("It wrote more than {limit} bytes.", "Answer with less."),
        zh=("输出超过 {limit} 字节。", "请减少返回内容。"),
    ),
    "run_failed": FaultWords(
        en=(
            "It could not be run: {code} {detail}",
            "Check that the entry point is there and can be read.",
        ),
        zh=("无法运行：{code} {detail}", "请检查入口文件是否存在且可读。"),
    ),
    "run_configuration_refused": FaultWords(
        en=(
            "The program refuses the values given with --configuration: {message}",
            "Correct the values, or the program.",
        ),
        zh=("程序拒绝了 --configuration 提供的值：{message}", "请修正这些值，或修正程序。"),
    ),
    "run_sample_refused": FaultWords(
        en=(
            "The program refuses made-up values: {message}",
            "Give values it accepts in a JSON file: --configuration FILE.",
        ),
        zh=("程序拒绝了自动生成的值：{message}", "请用 JSON 文件提供它接受的值：--configuration FILE。"),
    ),
    "run_incomplete_accepted": FaultWords(
        en=(
            "The program accepts a configuration without {fields}.",
            "When require_complete is true, answer bad_request for what is missing.",
        ),
        zh=("缺少 {fields} 时程序仍然接受该配置。", "require_complete 为 true 时，缺少必填项请返回 bad_request。"),
    ),
    "run_refusal_code": FaultWords(
        en=(
            "The program refuses an incomplete configuration with “{code}”.",
            "Use bad_request: only then is its message shown at the form.",
        ),
        zh=("程序用“{code}”拒绝不完整的配置。", "请使用 bad_request，只有它的消息会显示在表单上。"),
    ),
    "run_unanswered_offline": FaultWords(
        en=(
            "Offline it answered {code}: {message}",
            "This shows nothing; try it against the real service: poco-package run . {operation}",
        ),
        zh=("离线时返回 {code}：{message}", "无法据此判断，请在真实服务上验证：poco-package run . {operation}"),
    ),
    "run_identity_changes": FaultWords(
        en=(
            "Asked twice, it named two identities for one configuration.",
            "Leave out what changes by itself: everybody would have to authorize again.",
        ),
        zh=("对同一配置两次返回的身份不同。", "请去掉会自行变化的内容，否则所有人都要重新授权。"),
    ),
    "run_identity_secret": FaultWords(
        en=("The identity holds a secret of the configuration.", "Name addresses and ids only."),
        zh=("身份中包含配置的密钥。", "只返回地址和标识。"),
    ),
    "run_beginning_differs": FaultWords(
        en=(
            "It answered “{found}”; the interaction “{interaction}” wants “{wanted}”.",
            "Make auth.interaction and the answer agree.",
        ),
        zh=(
            "返回了“{found}”，而 interaction 为“{interaction}”时应返回“{wanted}”。",
            "请使 auth.interaction 与返回类型一致。",
        ),
    ),
    "run_launch_address": FaultWords(
        en=(
            "The launch address is no http:// or https:// address.",
            "Answer with one, or with null.",
        ),
        zh=("launch_url 返回的不是 http:// 或 https:// 地址。", "请返回这样的地址或 null。"),
    ),
}
register_fault_texts(EXERCISE_FAULTS)
