"""What is wrong with the archive itself, in English and Chinese."""

from connectors.manifest.fault_messages import FaultWords

_PLAIN_ZIP = (
    "Make the archive again with `zip -X -r ../package.zip .` in the package's folder.",
    "请在安装包目录中用 `zip -X -r ../package.zip .` 重新打包。",
)


def _again(en: str, zh: str) -> FaultWords:
    """Words whose mend is to make the archive anew."""
    return FaultWords(en=(en, _PLAIN_ZIP[0]), zh=(zh, _PLAIN_ZIP[1]))


ZIP_WORDS = {
    "zip_too_large": FaultWords(
        en=(
            "The ZIP is larger than {limit}.",
            "Leave out what the connector does not need, or raise MAX_UPLOAD_SIZE_MB.",
        ),
        zh=("ZIP 超过 {limit}。", "去掉连接器用不到的文件，或调大 MAX_UPLOAD_SIZE_MB。"),
    ),
    "inflated_too_large": FaultWords(
        en=("The files are larger than {limit} when unpacked.", "Leave out what the connector does not need."),
        zh=("解压后的内容超过 {limit}。", "去掉连接器用不到的文件。"),
    ),
    "too_many_entries": FaultWords(
        en=("The package has {count} entries; {limit} are allowed.", "Leave out what the connector does not need."),
        zh=("安装包有 {count} 个条目，最多允许 {limit} 个。", "去掉连接器用不到的文件。"),
    ),
    "too_many_folders": FaultWords(
        en=("The package has more than {limit} folders.", "Put the files into fewer, flatter folders."),
        zh=("安装包的文件夹超过 {limit} 个。", "请减少文件夹的数量和层级。"),
    ),
    "zip_end_missing": FaultWords(
        en=("This is not a ZIP, or it was cut short.", "Check that the upload is complete and that the file is a ZIP."),
        zh=("这不是 ZIP 文件，或文件不完整。", "请确认文件上传完整并且是 ZIP 格式。"),
    ),
    "zip_end_repeated": _again("The archive has more than one end record.", "压缩包有不止一个结尾记录。"),
    "zip_data_after_end": _again("There is data after the archive's end.", "压缩包结尾之后还有数据。"),
    "zip_data_before_first": _again("There is data before the first entry.", "第一个条目之前还有数据。"),
    "zip_data_between": _again("There is data that belongs to no entry.", "压缩包中有不属于任何条目的数据。"),
    "zip_directory_damaged": _again("The archive's directory is damaged ({reason}).", "压缩包目录已损坏（{reason}）。"),
    "zip_directory_too_large": _again("The archive's directory is larger than {limit}.", "压缩包目录超过 {limit}。"),
    "zip_multi_disk": _again("The archive is split into several volumes.", "压缩包被分成了多个分卷。"),
    "zip64_contradiction": _again(
        "The archive's 64-bit sizes contradict its 32-bit sizes ({reason}).",
        "压缩包的 64 位字段与 32 位字段矛盾（{reason}）。",
    ),
    "zip_extra_damaged": _again("The entry's extra fields are damaged.", "该条目的扩展字段已损坏。"),
    "zip_overlap": _again("This entry overlaps with {other}.", "该条目与 {other} 重叠。"),
    "zip_header_missing": _again("The entry has no header where the directory says.", "目录所指位置没有该条目的头部。"),
    "zip_header_mismatch": _again(
        "The entry's own header disagrees with the directory: {fields}.", "该条目的头部与目录不一致：{fields}。"
    ),
    "zip_descriptor_wrong": _again("The entry's data descriptor is wrong.", "该条目的数据描述符有误。"),
    "entry_encrypted": FaultWords(
        en=("The entry is encrypted.", "Make the archive without a password."),
        zh=("该条目已加密。", "请不要用密码打包。"),
    ),
    "entry_flags": _again("The entry uses an unusual ZIP feature.", "该条目使用了不支持的 ZIP 特性。"),
    "entry_method": FaultWords(
        en=("The entry is compressed with method {method}.", "Use deflate, the usual one, or no compression."),
        zh=("该条目的压缩方法是 {method}。", "请使用常用的 deflate，或不压缩。"),
    ),
    "entry_link": FaultWords(
        en=("This is a symbolic link or a device.", "Put the file itself in its place."),
        zh=("这是符号链接或设备文件。", "请换成文件本身。"),
    ),
    "entry_not_regular": FaultWords(
        en=("This is neither a plain file nor a plain folder.", "Keep only files and folders."),
        zh=("这既不是普通文件，也不是普通文件夹。", "只保留文件和文件夹。"),
    ),
    "folder_with_content": _again("The folder entry has content.", "文件夹条目带有内容。"),
    "entry_size_wrong": _again("The file's size is not what the archive says.", "文件大小与压缩包记录不符。"),
    "entry_crc_wrong": _again("The file's checksum is wrong.", "文件校验和不正确。"),
    "entry_damaged": _again("The file's compressed data is damaged.", "文件的压缩数据已损坏。"),
    "entry_data_after_end": _again("There is data behind the file's compressed data.", "文件的压缩数据之后还有数据。"),
}
