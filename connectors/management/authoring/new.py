"""`new_package`: a package that is valid from the first minute, to be filled with what is one's own."""

import argparse
import re
from pathlib import Path
from typing import TextIO

from connectors.management.authoring.reading import REFUSED, UNREADABLE, VALID, author_language, in_language
from connectors.management.authoring.skeleton import STRATEGIES, make_skeleton

HELP = "Start a new package in a folder named after its key."
_BAD_KEY = (
    "“{key}” cannot be a key: lower-case letters, digits, _ and -, a letter first",
    "“{key}”不能作为 key：只用小写字母、数字、_ 和 -，以字母开头",
)
_BAD_TAGS = ("“{tags}” are not language tags, such as en,zh-CN", "“{tags}”不是语言标签，示例：en,zh-CN")
_NEXT = (
    "{folder}/\nNext: edit manifest.json, then poco-package check {folder}",
    "{folder}/\n下一步：编辑 manifest.json，然后运行 poco-package check {folder}",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("key", help="lower-case letters, digits, _ and -; it can never change later")
    parser.add_argument("--auth", choices=STRATEGIES, default="none", help="how people authorize (default: none)")
    parser.add_argument("--locales", default="en,zh-CN", help="languages, the default first (default: en,zh-CN)")
    parser.add_argument("--locale", help="language of the messages: en or zh-CN; the shell's by default")
    parser.add_argument("--into", type=Path, default=Path(), help="where to make the folder (default: here)")


def run(options: argparse.Namespace, out: TextIO, err: TextIO) -> int:
    language = author_language(options.locale)
    locales = tuple(dict.fromkeys(part.strip() for part in options.locales.split(",") if part.strip()))
    if re.fullmatch(r"[a-z][a-z0-9_-]{0,63}", options.key) is None:
        print(in_language(_BAD_KEY, language).format(key=options.key), file=err)
        return REFUSED
    if not locales or not all(re.fullmatch(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*", tag) for tag in locales):
        print(in_language(_BAD_TAGS, language).format(tags=options.locales), file=err)
        return REFUSED
    folder: Path = options.into / options.key
    try:
        folder.mkdir(parents=True)
        for path, text in make_skeleton(options.key, options.auth, locales).items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        print(f"{folder}: {error.strerror or error}", file=err)
        return UNREADABLE
    print(in_language(_NEXT, language).format(folder=folder), file=out)
    return VALID
