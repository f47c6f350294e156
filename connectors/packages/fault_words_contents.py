"""What is wrong with names, texts, icon and Skills, in English and Chinese."""

from connectors.manifest.fault_messages import FaultWords

_RENAME = ("Rename it.", "请改名。")


def _rename(en: str, zh: str) -> FaultWords:
    return FaultWords(en=(en, _RENAME[0]), zh=(zh, _RENAME[1]))


CONTENT_WORDS = {
    "name_not_utf8": _rename("The name is not UTF-8.", "名称不是 UTF-8 编码。"),
    "name_unicode_extra": FaultWords(
        en=("The entry carries a second name that differs.", "Make the archive with a tool that writes UTF-8 names."),
        zh=("该条目带有另一个不同的名称。", "请用写 UTF-8 文件名的工具打包。"),
    ),
    "path_empty": _rename("The entry has no name.", "该条目没有名称。"),
    "path_control_character": _rename("The name has a control character.", "名称中有控制字符。"),
    "path_backslash": FaultWords(
        en=("The path has a backslash.", "Separate folders with `/`."),
        zh=("路径中有反斜杠。", "请用 `/` 分隔文件夹。"),
    ),
    "path_absolute": FaultWords(
        en=("The path is absolute.", "Make the archive inside the package's folder, with relative paths."),
        zh=("路径是绝对路径。", "请在安装包目录中用相对路径打包。"),
    ),
    "path_drive": FaultWords(
        en=(
            "The path starts with a drive letter.",
            "Make the archive inside the package's folder, with relative paths.",
        ),
        zh=("路径以盘符开头。", "请在安装包目录中用相对路径打包。"),
    ),
    "path_parent": FaultWords(
        en=("The path leads out of the package (`..`).", "Make the archive inside the package's folder."),
        zh=("路径指向安装包之外（`..`）。", "请在安装包目录中打包。"),
    ),
    "path_dot_or_empty_part": FaultWords(
        en=("The path has an empty part or a `.`.", "Write each path once, as `folder/file`."),
        zh=("路径中有空的部分或 `.`。", "请写成 `folder/file` 的形式。"),
    ),
    "path_too_long": FaultWords(
        en=("The path has {size} bytes; {limit} are allowed.", "Shorten names or use fewer folders."),
        zh=("路径有 {size} 字节，最多允许 {limit} 字节。", "请缩短名称或减少层级。"),
    ),
    "path_part_too_long": _rename(
        "A name in the path is longer than {limit} bytes.", "路径中有名称超过 {limit} 字节。"
    ),
    "path_trailing_dot_or_space": _rename(
        "A name in the path ends with a dot or a space.", "路径中有名称以点或空格结尾。"
    ),
    "path_windows_reserved": _rename("Windows reserves this name.", "这是 Windows 的保留名称。"),
    "path_duplicate": FaultWords(
        en=("The path is in the archive more than once.", "Keep one of them."),
        zh=("压缩包中有重复的路径。", "只保留一个。"),
    ),
    "path_file_and_folder": _rename("The path is both a file and a folder.", "该路径既是文件又是文件夹。"),
    "path_collision": FaultWords(
        en=(
            "Some systems cannot tell this path from {other}.",
            "Rename one so that they differ in more than case or form.",
        ),
        zh=("有些系统无法区分该路径与 {other}。", "请改名，使二者不只在大小写或字形上不同。"),
    ),
    "manifest_missing": FaultWords(
        en=("There is no manifest.json.", "Put it at the archive's top, or inside its only folder."),
        zh=("没有 manifest.json。", "请放在压缩包根目录，或唯一的一层目录中。"),
    ),
    "package_folder_second": FaultWords(
        en=("This is a second package.", "Put one package into one archive."),
        zh=("这里是第二个安装包。", "一个压缩包只放一个安装包。"),
    ),
    "outside_package_folder": FaultWords(
        en=(
            "This lies beside the package's folder.",
            "Move it into the folder that holds manifest.json, or leave it out.",
        ),
        zh=("它在安装包目录之外。", "请移到 manifest.json 所在目录，或删除。"),
    ),
    "locales_too_large": FaultWords(
        en=("The locale files together are larger than {limit}.", "Leave out texts that nothing names."),
        zh=("语言文件合计超过 {limit}。", "请去掉没有引用的文案。"),
    ),
    "locale_not_map": FaultWords(
        en=("The locale file is not a JSON object.", 'Write it as {{"key": "text"}}.'),
        zh=("语言文件不是 JSON 对象。", '请写成 {{"key": "文案"}}。'),
    ),
    "locale_value_not_text": FaultWords(
        en=("The text of {key} is not a string.", "Locale files are flat: every value is a string."),
        zh=("{key} 的文案不是字符串。", "语言文件是扁平的，每个值都是字符串。"),
    ),
    "icon_too_large": FaultWords(
        en=("The icon is larger than {limit}.", "Make it smaller; 128 × 128 pixels are plenty."),
        zh=("图标超过 {limit}。", "请缩小图标，128 × 128 像素足够。"),
    ),
    "icon_type_unknown": FaultWords(
        en=("Icons of this kind cannot be shown.", "Use one of: {known}."),
        zh=("无法显示这种图标。", "请使用：{known}。"),
    ),
    "icon_not_well_formed": FaultWords(
        en=("The icon is not well-formed XML, so no browser draws it.", "Save it again as plain SVG."),
        zh=("图标不是格式正确的 XML，浏览器无法绘制。", "请重新保存为普通 SVG。"),
    ),
    "icon_too_complex": FaultWords(
        en=("The icon draws more than {limit} shapes, references followed.", "Simplify it: icons are small."),
        zh=("图标展开引用后超过 {limit} 个图形。", "请简化图标。"),
    ),
    "icon_not_image": FaultWords(
        en=("The icon's content is no image we know.", "Save it again as one of: {known}."),
        zh=("图标内容不是可识别的图片。", "请另存为：{known}。"),
    ),
    "icon_type_mismatch": FaultWords(
        en=("The name says {claimed}, the content is {found}.", "Save the icon again in the format its name says."),
        zh=("文件名表示 {claimed}，内容却是 {found}。", "请按文件名的格式重新保存图标。"),
    ),
    "skill_too_large": FaultWords(
        en=("SKILL.md is larger than {limit}.", "Move details to files under references/."),
        zh=("SKILL.md 超过 {limit}。", "请把细节移到 references/ 下的文件。"),
    ),
    "skill_not_utf8": FaultWords(
        en=("SKILL.md is not UTF-8.", "Save it as UTF-8."),
        zh=("SKILL.md 不是 UTF-8 编码。", "请保存为 UTF-8。"),
    ),
    "skill_front_matter_open": FaultWords(
        en=("The front matter has no end.", "Close it with a line `---`."),
        zh=("前置信息没有结束。", "请用一行 `---` 结束。"),
    ),
    "skill_front_matter_too_large": FaultWords(
        en=("The front matter is larger than {limit}.", "Keep name and description there, and the rest below."),
        zh=("前置信息超过 {limit}。", "其中只保留名称和描述，其余写在正文。"),
    ),
    "skill_front_matter_damaged": FaultWords(
        en=("The front matter is not valid YAML.", "Put texts with `:` or `#` in quotes."),
        zh=("前置信息不是有效的 YAML。", "含有 `:` 或 `#` 的文字请加引号。"),
    ),
    "skill_front_matter_not_map": FaultWords(
        en=("The front matter is not a list of `key: value`.", "Write `name: …` and `description: …`."),
        zh=("前置信息不是 `键: 值` 的形式。", "请写 `name: …` 和 `description: …`。"),
    ),
    "skill_front_matter_not_text": FaultWords(
        en=("{key} in the front matter is not a text.", "Write it as one line of text."),
        zh=("前置信息中的 {key} 不是文字。", "请写成一行文字。"),
    ),
    "skill_front_matter_too_long": FaultWords(
        en=("{key} in the front matter is longer than {limit} characters.", "Shorten it."),
        zh=("前置信息中的 {key} 超过 {limit} 个字符。", "请缩短。"),
    ),
}
