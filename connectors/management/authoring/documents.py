"""The parts of the author's documents that are made from code: the JSON Schema and the tables of fault codes."""

import re
from pathlib import Path

from connectors.management.authoring.exercise_words import EXERCISE_FAULTS
from connectors.manifest.fault_texts_content import CONTENT_FAULTS
from connectors.manifest.fault_texts_fit import FIT_FAULTS
from connectors.manifest.fault_texts_json import JSON_FAULTS
from connectors.manifest.fault_texts_shape import SHAPE_FAULTS
from connectors.manifest.fault_words import FaultWords
from connectors.manifest.json_schema import SCHEMA_NAME, render_json_schema
from connectors.packages.fault_messages import PACKAGE_FAULTS
from connectors.runtime.discovery_words import DISCOVERY_FAULTS

GUIDE = Path("docs/package-authoring.md")
SCHEMA = Path("docs/schemas") / SCHEMA_NAME
_START, _END = "<!-- fault codes: start -->", "<!-- fault codes: end -->"
_TABLES = (
    ("The archive and its files", PACKAGE_FAULTS),
    ("JSON", JSON_FAULTS),
    ("The manifest's shape", SHAPE_FAULTS),
    ("How its parts fit together", FIT_FAULTS),
    ("Actions, tools, Skills, texts and files", CONTENT_FAULTS),
    ("A program's tools beside the policy", DISCOVERY_FAULTS),
    ("A program's operations (`check --run`)", EXERCISE_FAULTS),
)


def render_documents(root: Path) -> dict[Path, str]:
    """What each document should hold, by path; everything outside the marks stays as it is written."""
    guide = (root / GUIDE).read_text(encoding="utf-8")
    before, after = guide.split(_START)[0], guide.split(_END)[1]
    return {
        root / GUIDE: f"{before}{_START}\n{_fault_tables()}\n{_END}{after}",
        root / SCHEMA: render_json_schema(),
    }


def stale_documents(root: Path) -> list[Path]:
    """The documents that do not say what the code says."""
    return [
        path
        for path, text in render_documents(root).items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]


def _fault_tables() -> str:
    return "\n".join(_table(title, words) for title, words in _TABLES)


def _table(title: str, words: dict[str, FaultWords]) -> str:
    rows = [f"| `{code}` | {_cell(said.en[0])} | {_cell(said.en[1])} |" for code, said in sorted(words.items())]
    return "\n".join([f"\n### {title}\n", "| code | what is wrong | how to mend it |", "|---|---|---|", *rows])


def _cell(template: str) -> str:
    """A template as a reader sees it: its parameters in italics, and nothing that Markdown would take for a mark."""
    escaped = re.sub(r"([|<>*])", r"\\\1", template)
    italic = re.sub(r"(?<!{){(\w+)}(?!})", lambda found: f"*{found.group(1).replace('_', ' ')}*", escaped)
    return italic.replace("{{", "{").replace("}}", "}")
