"""A package's Skills: SKILL.md with optional front matter, rendered without its own HTML (handbook §7)."""

from html import escape
from typing import NamedTuple

import nh3
import yaml
from markdown_it import MarkdownIt

from connectors.errors import Fault
from connectors.manifest.skills import Skill as DeclaredSkill
from connectors.packages.contents import Contents
from connectors.packages.inspected import Skill
from connectors.packages.limits import (
    MAX_FRONT_MATTER_BYTES,
    MAX_RENDERED_BYTES,
    MAX_RENDERED_TOGETHER,
    MAX_SKILL_BYTES,
    size_text,
)
from connectors.packages.revision import compute_revision

_FENCE = "---"
_LONGEST_NAME = 100
_LONGEST_DESCRIPTION = 2000
_DEEPEST = 20
_MOST_MARKS = 8000
_MOST_CELLS = 50_000
_MOST_BRACKETS = 2000  # each may open a link, which the parser then looks for far ahead
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
_TAGS = {
    "a", "blockquote", "br", "code", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "strong",
    "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}}


class SkillFault(Exception):
    """One thing wrong with a SKILL.md."""

    def __init__(self, code: str, **parameters: object) -> None:
        self.code = code
        self.parameters = parameters


class FrontMatter(NamedTuple):
    name: str
    description: str
    body: str


def read_skills(contents: Contents, declared: tuple[DeclaredSkill, ...]) -> tuple[list[Skill], list[Fault]]:
    """Return the Skills whose SKILL.md is sound, and the faults of the others; absent ones are the manifest's fault."""
    skills: list[Skill] = []
    faults: list[Fault] = []
    left = MAX_RENDERED_TOGETHER
    for skill in declared:
        path = f"{skill.path}/SKILL.md"
        if path not in contents.files:
            continue
        try:
            front = _read_front_matter(contents, path)
        except SkillFault as fault:
            faults.append(Fault(fault.code, path, fault.parameters))
            continue
        left -= contents.files[path].size
        html = render_markdown(front.body) if left >= 0 else show_source(front.body)
        digest = compute_revision(contents.below(skill.path))
        skills.append(Skill(skill.key, skill.path, front.name or skill.key, front.description, html, digest))
    return skills, faults


def show_source(text: str) -> str:
    """Return the text as it was written, as safe HTML."""
    return f"<pre>{escape(text)}</pre>"


def render_markdown(text: str) -> str:
    """Return safe HTML: Markdown's own tags only, no images, links that carry no referrer.

    A text that is long, or made to be slow to read or large when it has been read, is shown as it is.
    """
    if len(text.encode()) > MAX_RENDERED_BYTES or _is_costly(text):
        return show_source(text)
    return nh3.clean(
        _MARKDOWN.render(text),
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        url_relative="deny",  # it would lead into the console, or with // anywhere
        link_rel="noopener noreferrer nofollow",
    )


def _is_costly(text: str) -> bool:
    """Brackets are looked ahead for, emphasis is paired with all before it, and each row of a table is filled up."""
    if text.count("[") > _MOST_BRACKETS or text.count("*") + text.count("_") > _MOST_MARKS:
        return True
    pipes = [line.count("|") for line in text.splitlines()]
    return max(pipes, default=0) * len(pipes) > _MOST_CELLS and sum(map(bool, pipes)) > 1


def _read_front_matter(contents: Contents, path: str) -> FrontMatter:
    data = contents.read(path, limit=MAX_SKILL_BYTES)
    if len(data) > MAX_SKILL_BYTES:
        raise SkillFault("skill_too_large", limit=size_text(MAX_SKILL_BYTES))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SkillFault("skill_not_utf8") from error
    return split_front_matter(text)


def split_front_matter(text: str) -> FrontMatter:
    """Split name and description off a SKILL.md; both are empty when it has no front matter."""
    first, _, rest = text.partition("\n")
    if first.rstrip() != _FENCE:
        return FrontMatter("", "", text)
    lines = rest.splitlines(keepends=True)
    for number, line in enumerate(lines):
        if line.rstrip() == _FENCE:
            values = _parse_values("".join(lines[:number]))
            return FrontMatter(*values, body="".join(lines[number + 1 :]))
    raise SkillFault("skill_front_matter_open")


def _parse_values(block: str) -> tuple[str, str]:
    if len(block.encode()) > MAX_FRONT_MATTER_BYTES:
        raise SkillFault("skill_front_matter_too_large", limit=size_text(MAX_FRONT_MATTER_BYTES))
    try:
        _refuse_deep_nesting(block)
        # Every scalar stays text: `name: 007` is a name, and a date that does not exist is no error.
        found = yaml.BaseLoader(block).get_single_data()
    except yaml.YAMLError as error:
        raise SkillFault("skill_front_matter_damaged") from error
    values = found if isinstance(found, dict) else {} if found in (None, "") else None
    if values is None:
        raise SkillFault("skill_front_matter_not_map")
    return _text(values, "name", _LONGEST_NAME), _text(values, "description", _LONGEST_DESCRIPTION)


def _refuse_deep_nesting(block: str) -> None:
    """Stop at the level too many: PyYAML takes seconds over thousands of them, and then runs out of stack."""
    depth = 0
    for event in yaml.parse(block, Loader=yaml.BaseLoader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > _DEEPEST:
            raise SkillFault("skill_front_matter_damaged")


def _text(values: dict[str, object], key: str, longest: int) -> str:
    value = values.get(key, "")
    if not isinstance(value, str):
        raise SkillFault("skill_front_matter_not_text", key=key)
    if len(value) > longest:
        raise SkillFault("skill_front_matter_too_long", key=key, limit=longest)
    return " ".join(value.split())
