"""The icon: small, and of the kind its name claims, by its own signature (handbook §4)."""

import re

from connectors.errors import Fault
from connectors.packages.contents import Contents
from connectors.packages.drawing import MOST_DRAWN, count_drawn
from connectors.packages.inspected import Icon
from connectors.packages.limits import MAX_ICON_BYTES, size_text

_TYPE_BY_SUFFIX = {
    "svg": "image/svg+xml",
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "ico": "image/x-icon",
}
_SIGNATURES = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"GIF8[79]a"), "image/gif"),
    (re.compile(rb"RIFF....WEBP", re.DOTALL), "image/webp"),
    (re.compile(rb"\x00\x00\x01\x00(?!\x00\x00)"), "image/x-icon"),
)
_SVG_ROOT = re.compile(r"<(?:[A-Za-z_][\w.-]*:)?svg[\s/>]")
# What XML allows before the root element, each with its end.
_PROLOGUE = (("<?", "?>"), ("<!--", "-->"), ("<!DOCTYPE", ">"))


def read_icon(contents: Contents, path: str | None) -> tuple[Icon | None, list[Fault]]:
    """Return the declared icon, or its faults; an icon that is absent is the manifest's fault, not told here."""
    if path is None or path not in contents.files:
        return None, []
    content = contents.read(path, limit=MAX_ICON_BYTES)
    if len(content) > MAX_ICON_BYTES:
        return None, [Fault("icon_too_large", path, {"limit": size_text(MAX_ICON_BYTES)})]
    claimed = _TYPE_BY_SUFFIX.get(path.rpartition(".")[2].lower())
    if claimed is None:
        return None, [Fault("icon_type_unknown", path, {"known": sorted(_TYPE_BY_SUFFIX)})]
    fault = _content_fault(path, content, claimed)
    return (None, [fault]) if fault else (Icon(claimed, content, contents.files[path].digest), [])


def _content_fault(path: str, content: bytes, claimed: str) -> Fault | None:
    found = sniff_type(content)
    if found is None:
        return Fault("icon_not_image", path, {"known": sorted(_TYPE_BY_SUFFIX)})
    if found != claimed:
        return Fault("icon_type_mismatch", path, {"claimed": claimed, "found": found})
    return _drawing_fault(path, content) if found == "image/svg+xml" else None


def _drawing_fault(path: str, content: bytes) -> Fault | None:
    drawn = count_drawn(content)
    if drawn is None:
        return Fault("icon_not_well_formed", path)
    return Fault("icon_too_complex", path, {"limit": MOST_DRAWN}) if drawn > MOST_DRAWN else None


def image_type(content: bytes) -> str | None:
    """Return the media type of a picture that may be shown, None for anything else, however it is called."""
    found = sniff_type(content)
    return None if found == "image/svg+xml" and _drawing_fault("", content) else found


def sniff_type(content: bytes) -> str | None:
    """Return the media type the content's own signature shows, None for anything we do not serve."""
    for signature, media_type in _SIGNATURES:
        if signature.match(content):
            return media_type
    return "image/svg+xml" if _is_svg(content) else None


def _is_svg(content: bytes) -> bool:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return False
    position = _skip_space(text, 0)
    while (end := _prologue_end(text, position)) is not None:
        position = _skip_space(text, end)
    return _SVG_ROOT.match(text, position) is not None


def _skip_space(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\r\n":
        position += 1
    return position


def _prologue_end(text: str, position: int) -> int | None:
    for start, stop in _PROLOGUE:
        if not text.startswith(start, position):
            continue
        end = text.find(stop, position + len(start))
        subset = text.find("[", position, end) if stop == ">" else -1
        if subset >= 0:  # a document type with declarations of its own
            closing = text.find("]", subset)
            end = text.find(">", closing) if closing >= 0 else -1
        return None if end < 0 else end + len(stop)
    return None
