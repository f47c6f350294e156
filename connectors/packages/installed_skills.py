"""The Skills of an installed package, read from this machine's verified copy of it."""

from dataclasses import dataclass
from pathlib import Path

from connectors.packages.limits import MAX_SKILL_BYTES
from connectors.packages.skills import render_markdown, split_front_matter


@dataclass(frozen=True, slots=True)
class SkillPage:
    """A SKILL.md as safe HTML, and every file that belongs to the Skill."""

    html: str
    files: tuple[str, ...]


def read_skill(folder: Path, path: str) -> SkillPage:
    """Return one Skill of the package in `folder`; it was checked when the package was installed."""
    root = folder / path
    with (root / "SKILL.md").open("rb") as opened:
        text = opened.read(MAX_SKILL_BYTES + 1).decode("utf-8-sig")
    files = sorted(each.relative_to(root).as_posix() for each in root.rglob("*") if each.is_file())
    return SkillPage(render_markdown(split_front_matter(text).body), tuple(files))
