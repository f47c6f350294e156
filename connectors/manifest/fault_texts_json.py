"""Words for JSON that is not strict; line and column come with the fault."""

from connectors.manifest.fault_words import FaultWords

JSON_FAULTS = {
    "json_too_large": FaultWords(
        en=("The file has {size} bytes; at most {limit} are read.", "Shorten it or split long texts off."),
        zh=("文件有 {size} 字节，最多允许 {limit} 字节。", "请精简内容。"),
    ),
    "json_byte_order_mark": FaultWords(
        en=("The file starts with a byte order mark.", "Save it as UTF-8 without BOM."),
        zh=("文件以字节顺序标记（BOM）开头。", "请以不带 BOM 的 UTF-8 保存。"),
    ),
    "json_not_utf8": FaultWords(
        en=("Line {line}, column {column}: these bytes are not UTF-8.", "Save the file as UTF-8."),
        zh=("第 {line} 行第 {column} 列：此处字节不是 UTF-8。", "请以 UTF-8 保存文件。"),
    ),
    "json_syntax": FaultWords(
        en=(
            "Line {line}, column {column}: this is not JSON.",
            "Look for a missing or extra comma, quote or bracket just before this place; comments are not allowed.",
        ),
        zh=(
            "第 {line} 行第 {column} 列：不是合法的 JSON。",
            "请检查此处之前是否缺少或多出逗号、引号、括号；不允许注释。",
        ),
    ),
    "json_duplicate_key": FaultWords(
        en=("Line {line}, column {column}: the key “{key}” is there twice in one object.", "Keep one of the two."),
        zh=("第 {line} 行第 {column} 列：同一对象中键“{key}”出现两次。", "只保留其中一个。"),
    ),
    "json_not_a_number": FaultWords(
        en=("Line {line}, column {column}: NaN and Infinity are not JSON.", "Use a number, or leave the key out."),
        zh=("第 {line} 行第 {column} 列：JSON 中没有 NaN 和 Infinity。", "请改用数字，或去掉该键。"),
    ),
    "json_number_too_large": FaultWords(
        en=("Line {line}, column {column}: this number is too large.", "Use a number of at most {limit}."),
        zh=("第 {line} 行第 {column} 列：数字过大。", "请使用不超过 {limit} 的数字。"),
    ),
    "json_lone_surrogate": FaultWords(
        en=(
            "Line {line}, column {column}: this escape is half of a character.",
            "Write the character itself, or both halves of its surrogate pair.",
        ),
        zh=("第 {line} 行第 {column} 列：此转义只是半个字符。", "请直接写出该字符，或写全代理对的两半。"),
    ),
    "json_nul": FaultWords(
        en=("Line {line}, column {column}: a text may not hold the NUL character.", "Remove \\u0000."),
        zh=("第 {line} 行第 {column} 列：文本中不能有 NUL 字符。", "请删除 \\u0000。"),
    ),
    "json_too_deep": FaultWords(
        en=("Line {line}, column {column}: nested deeper than {limit} levels.", "Flatten the structure."),
        zh=("第 {line} 行第 {column} 列：嵌套超过 {limit} 层。", "请减少嵌套层级。"),
    ),
}
