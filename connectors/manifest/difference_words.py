"""Each kind of change between two versions as a sentence, in English and in Chinese. Knows no framework."""

from connectors.manifest.difference import Change

_WORDS: dict[str, tuple[str, str]] = {
    "effect_raised": ("{subject} does more: {before} → {after}", "{subject} 的影响加大：{before} → {after}"),
    "confirmation_dropped": ("{subject} is no longer confirmed by a person", "{subject} 不再需要用户确认"),
    "tool_added": ("new tool {subject} ({after})", "新增工具 {subject}（{after}）"),
    "host_added": ("new host {subject}", "新增主机 {subject}"),
    "scope_added": ("new scope {subject}", "新增授权范围 {subject}"),
    "contract_changed": (
        "authorization contract {before} → {after}: accounts authorized under another one must authorize again",
        "授权契约版本 {before} → {after}：按其他版本授权的账号需要重新授权",
    ),
    "sign_in_changed": ("authorization: {before} → {after}", "授权方式：{before} → {after}"),
    "runtime_changed": ("runtime: {before} → {after}", "运行方式：{before} → {after}"),
    "capability_added": ("the program may now be asked for {subject}", "程序新增能力 {subject}"),
    "field_added": ("new field {subject} ({after})", "新增字段 {subject}（{after}）"),
    "field_changed": ("field {subject} changed: {before} → {after}", "字段 {subject} 变化：{before} → {after}"),
    "field_removed": ("field {subject} is gone", "删除字段 {subject}"),
    "effect_lowered": ("{subject} does less: {before} → {after}", "{subject} 的影响减小：{before} → {after}"),
    "confirmation_added": ("{subject} is now confirmed by a person", "{subject} 现在需要用户确认"),
    "retry_changed": ("{subject}, retry: {before} → {after}", "{subject} 的重试：{before} → {after}"),
    "tool_removed": ("tool {subject} is gone", "删除工具 {subject}"),
    "scope_removed": ("scope {subject} is gone", "删除授权范围 {subject}"),
    "host_removed": ("host {subject} is gone", "删除主机 {subject}"),
    "skill_added": ("new Skill {subject}", "新增 Skill {subject}"),
    "skill_changed": ("Skill {subject} changed", "Skill {subject} 有变化"),
    "skill_removed": ("Skill {subject} is gone", "删除 Skill {subject}"),
    "text_changed": ("texts in {subject} changed: {after}", "{subject} 文案变化：{after} 处"),
    "locale_added": ("new language {subject}", "新增语言 {subject}"),
    "locale_removed": ("language {subject} is gone", "删除语言 {subject}"),
    "version_changed": ("version {before} → {after}", "版本 {before} → {after}"),
    "program_source_added": ("program source added: {subject}", "新增程序源码：{subject}"),
    "program_source_changed": ("program source changed: {subject}", "程序源码变化：{subject}"),
    "program_source_removed": ("program source removed: {subject}", "删除程序源码：{subject}"),
    "file_added": ("file added: {subject}", "新增文件：{subject}"),
    "file_changed": ("file changed: {subject}", "文件变化：{subject}"),
    "file_removed": ("file removed: {subject}", "删除文件：{subject}"),
}


def describe_change(change: Change, language: str) -> str:
    """The change in Chinese for any `zh` language, in English for every other."""
    english, chinese = _WORDS[change.kind]
    template = chinese if language.lower().startswith("zh") else english
    return template.format(subject=change.subject, before=change.before or "-", after=change.after or "-")
