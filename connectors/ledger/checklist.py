"""The checklist for choosing a connector: who keeps it alive counts, not how many stars it has (seed 003).

Answers stay with the ledger's row and are looked at again in each review; none is asked for before an install.
"""

from dataclasses import dataclass
from typing import Final

YES, NO = "yes", "no"
SECTIONS: Final[dict[str, tuple[str, ...]]] = {
    "activity": ("commits_within_three_months", "issues_answered_within_a_week", "versions_released"),
    "quality": ("documentation", "examples", "tests"),
    "safety": ("authentication", "no_known_vulnerabilities", "code_auditable"),
    "maintenance": ("maintainer_named", "contribution_guide", "changelog"),
}
ITEMS: Final = tuple(item for items in SECTIONS.values() for item in items)


@dataclass(frozen=True, slots=True)
class ChecklistSummary:
    """How many of the items were answered yes and no; the rest nobody has looked at."""

    yes: int
    no: int

    @property
    def open(self) -> int:
        return len(ITEMS) - self.yes - self.no


def summarize_checklist(answers: dict[str, str]) -> ChecklistSummary:
    """Return the counts of a stored checklist; items that are no longer on it do not count."""
    given = [answers.get(item) for item in ITEMS]
    return ChecklistSummary(given.count(YES), given.count(NO))
