"""Archives that are sound as archives and break a rule of contents or a limit."""

from tests.builders.packages import ICON, build_files, build_manifest
from tests.corpus.case import cases
from tests.corpus.raw_zip import Raw, base_entries, build_zip, with_entry

_NINE = ["de", "es", "fr", "it", "ja", "ko", "nl", "pl", "sv"]
SKILL = {"key": "search", "path": "skills/search"}


def package(files: dict[str, bytes | str | None] | None = None, **manifest: object) -> bytes:
    """A valid package with a Skill; each of `files` is replaced, added, or with None left out."""
    content: dict[str, bytes | str | None] = {
        **build_files(build_manifest(skills=[SKILL], **manifest)),
        **(files or {}),
    }
    return build_zip(
        [
            Raw(name.encode(), data.encode() if isinstance(data, str) else data)
            for name, data in content.items()
            if data is not None
        ]
    )


def icon(path: str, content: bytes | str) -> bytes:
    presentation = {**build_manifest()["presentation"], "icon": path}
    return package({path: content}, presentation=presentation)


def multiply(reference: str, container: str) -> str:
    """A kilobyte that draws ten to the ninth shapes: each level refers ten times to the one below."""
    levels = "".join(f'<{container} id="l{n}">{reference.format(n - 1) * 10}</{container}>' for n in range(1, 10))
    start = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:s="http://www.w3.org/2000/svg">'
    return f'{start}<rect id="l0"/>{levels}{reference.format(9)}</svg>'


def entity_bomb(unit: str) -> str:
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else unit * 10}">' for n in range(10))
    return f"<!DOCTYPE svg [{entities}]><svg>&e9;</svg>"


def locale(content: bytes | str) -> bytes:
    return package({"locales/fr.json": content}, locales=["en", "zh-CN", "fr"])


def skill(content: bytes | str) -> bytes:
    return package({"skills/search/SKILL.md": content})


def many_files(count: int) -> bytes:
    return with_entry(*(Raw(b"files/%05d" % n, method=0) for n in range(count - len(base_entries()))))


def many_folders(count: int) -> bytes:
    deep = "/".join("abcdefghij" * 20)
    return with_entry(*(Raw(f"{n}/{deep}/f".encode(), method=0) for n in range(count // 201)))


MANIFESTS = [
    *cases("json_syntax", manifest_is_not_json=lambda: package({"manifest.json": "{"}), manifest_is_empty=lambda: package({"manifest.json": ""})),
    *cases("wrong_type", manifest_is_a_list=lambda: package({"manifest.json": "[]"})),
    *cases("json_too_large", manifest_of_more_than_a_mib=lambda: package({"manifest.json": "[" + " " * (1 << 20) + "]"})),
    *cases("json_byte_order_mark", manifest_with_a_byte_order_mark=lambda: package({"manifest.json": b"\xef\xbb\xbf{}"})),
    *cases("locale_file_missing", locale_file_missing=lambda: package({"locales/en.json": None})),
    *cases("icon_missing", icon_file_missing=lambda: package({"assets/icon.svg": None})),
    *cases("skill_file_missing", skill_without_its_file=lambda: package({"skills/search/SKILL.md": None})),
    *cases("skill_file_missing", skill_file_in_small_letters=lambda: package({"skills/search/SKILL.md": None, "skills/search/skill.md": "x"})),
    *cases("entry_crc_wrong", manifest_with_a_wrong_crc=lambda: build_zip([base_entries()[0].but(crc=1), *base_entries()[1:]])),
]  # fmt: skip

LOCALES = [
    *cases("locale_not_map", locale_is_a_list=lambda: locale("[]"), locale_is_a_text=lambda: locale('"a"')),
    *cases(
        "locale_value_not_text",
        locale_value_is_a_number=lambda: locale('{"a": 1}'),
        locale_value_is_null=lambda: locale('{"a": null}'),
        locale_is_nested=lambda: locale('{"a/~b": {"c": "d"}}'),
    ),
    *cases("json_syntax", locale_is_cut=lambda: locale('{"a": "b"')),
    *cases("json_duplicate_key", locale_repeats_a_key=lambda: locale('{"a": "b", "a": "c"}')),
    *cases("json_nul", locale_with_nul=lambda: locale('{"a": "b\\u0000"}')),
    *cases("json_not_utf8", locale_in_latin_1=lambda: locale(b'{"a": "caf\xe9"}')),
    *cases("json_too_large", locale_of_more_than_a_mib=lambda: locale('{"a": "' + "b" * (1 << 20) + '"}')),
    *cases("text_missing", locale_lacks_a_text=lambda: locale("{}")),
    *cases(
        "locales_too_large",
        locales_together_of_more_than_eight_mib=lambda: package(
            {f"locales/{tag}.json": '{"a": "' + "b" * (1 << 20) + '"}' for tag in _NINE},
            locales=["en", "zh-CN", *_NINE],
        ),
    ),
]

ICONS = [
    *cases("icon_too_large", icon_of_more_than_512_kib=lambda: icon("assets/icon.svg", ICON + " " * (512 << 10))),
    *cases(
        "icon_type_mismatch",
        png_called_svg=lambda: icon("assets/icon.svg", b"\x89PNG\r\n\x1a\n"),
        svg_called_png=lambda: icon("assets/icon.png", ICON),
        jpeg_called_gif=lambda: icon("assets/icon.gif", b"\xff\xd8\xff\xe0"),
    ),
    *cases(
        "icon_not_image",
        html_called_svg=lambda: icon("assets/icon.svg", "<!DOCTYPE html><html><svg></svg></html>"),
        script_called_svg=lambda: icon("assets/icon.svg", "alert(1)//<svg>"),
        svg_in_utf_16=lambda: icon("assets/icon.svg", ICON.encode("utf-16")),
        svg_behind_an_open_comment=lambda: icon("assets/icon.svg", "<!-- " + ICON),
        svg_behind_an_open_document_type=lambda: icon("assets/icon.svg", "<!DOCTYPE svg [ <!ENTITY a 'b'> " + ICON),
        svg_root_with_a_longer_name=lambda: icon("assets/icon.svg", "<svgx/>"),
        cursor_called_icon=lambda: icon("assets/icon.ico", b"\0\0\x02\0\x01\0"),
        icon_file_without_icons=lambda: icon("assets/icon.ico", b"\0\0\x01\0\0\0"),
        wave_called_webp=lambda: icon("assets/icon.webp", b"RIFF\0\0\0\0WAVE"),
        empty_icon=lambda: icon("assets/icon.png", b""),
    ),
    *cases(
        "icon_not_well_formed",
        svg_with_an_open_tag=lambda: icon("assets/icon.svg", "<svg><g></svg>"),
        svg_with_two_roots=lambda: icon("assets/icon.svg", "<svg/><svg/>"),
        svg_that_is_html=lambda: icon("assets/icon.svg", "<svg><br></svg>"),
        svg_with_an_entity_bomb_of_text=lambda: icon("assets/icon.svg", entity_bomb("ha")),
    ),
    *cases(
        "icon_too_complex",
        svg_with_an_entity_bomb_of_shapes=lambda: icon("assets/icon.svg", entity_bomb("<g/>")),
        svg_of_nested_uses=lambda: icon("assets/icon.svg", multiply('<use href="#l{}"/>', "g")),
        svg_of_nested_masks=lambda: icon("assets/icon.svg", multiply('<rect mask="url(#l{})"/>', "mask")),
        svg_of_nested_patterns=lambda: icon(
            "assets/icon.svg", multiply("<rect style=\"fill: url( '#l{}')\"/>", "pattern")
        ),
        svg_of_nested_clips=lambda: icon("assets/icon.svg", multiply('<s:rect clip-path="url(#l{})"/>', "clipPath")),
        svg_of_very_many_shapes=lambda: icon(
            "assets/icon.svg", f'<svg xmlns="http://www.w3.org/2000/svg">{"<g/>" * 20_001}</svg>'
        ),
    ),
    *cases(
        "icon_type_unknown",
        bitmap_icon=lambda: icon("assets/icon.bmp", b"BM"),
        page_as_icon=lambda: icon("assets/icon.html", "<svg/>"),
        icon_without_a_suffix=lambda: icon("assets/icon", ICON),
    ),
]

SKILLS = [
    *cases("skill_too_large", skill_of_more_than_a_mib=lambda: skill("a" * ((1 << 20) + 1))),
    *cases("skill_not_utf8", skill_in_latin_1=lambda: skill(b"caf\xe9")),
    *cases("skill_front_matter_open", front_matter_without_an_end=lambda: skill("---\nname: a\n\n# Title\n")),
    *cases("skill_front_matter_too_large", front_matter_of_17_kib=lambda: skill("---\na: " + "b" * (17 << 10) + "\n---\n")),
    *cases(
        "skill_front_matter_damaged",
        front_matter_is_not_yaml=lambda: skill("---\nname: [\n---\n"),
        front_matter_nests_for_ever=lambda: skill("---\n" + "[" * 9000 + "\n---\n"),
        front_matter_with_an_unknown_alias=lambda: skill("---\nname: *x\n---\n"),
        front_matter_of_two_documents=lambda: skill("---\nname: a\n...\nb\n---\n"),
        front_matter_with_a_list_as_key=lambda: skill("---\n? [a]\n: b\n---\n"),
        front_matter_with_a_bell=lambda: skill("---\nname: \x07\n---\n"),
    ),
    *cases("skill_front_matter_not_map", front_matter_is_a_list=lambda: skill("---\n- a\n---\n"), front_matter_is_a_text=lambda: skill("---\nhello\n---\n")),
    *cases("skill_front_matter_not_text", name_is_a_list=lambda: skill("---\nname: [a]\n---\n"), description_is_a_map=lambda: skill("---\ndescription: {a: b}\n---\n")),
    *cases("skill_front_matter_too_long", name_of_101_characters=lambda: skill(f"---\nname: {'a' * 101}\n---\n")),
]  # fmt: skip

LIMITS = [
    *cases("too_many_entries", ten_thousand_and_one_entries=lambda: many_files(10_001), forty_thousand_and_one_records=lambda: many_files(40_001)),
    *cases("too_many_folders", a_million_folders=lambda: many_folders(1_000_000)),
    *cases("more_faults path_backslash", a_thousand_faults=lambda: with_entry(*(Raw(b"\\%d" % n) for n in range(1000)))),
    *cases("inflated_too_large", more_than_four_hundred_mib_said=lambda: with_entry(Raw(b"big", b"", data=b"\x03\0", size=(400 << 20) + 1))),
]  # fmt: skip

CONTENTS = [*MANIFESTS, *LOCALES, *ICONS, *SKILLS, *LIMITS]
