"""What the pages of a review show: where it stands, the connector before the reviewer, and the report."""

from collections import Counter
from dataclasses import dataclass
from uuid import UUID

from django.utils.functional import Promise

from connectors.catalogue.models import Connector
from connectors.catalogue.queries import installed_connectors
from connectors.console.ledger_pages import LedgerLine, make_line
from connectors.console.ledger_words import ITEM_TITLES, VERDICTS
from connectors.console.presentation import describe_connector, describe_connectors
from connectors.errors import NotFound
from connectors.ledger.checklist import NO
from connectors.ledger.models import Review, ReviewLine
from connectors.ledger.queries import connectors_due, lines_of
from connectors.ledger.rows import ledger_row

_MOST_DIGITS = 6  # no position is longer
ANSWER_KEYS = {"keep": "k", "observe": "o", "uninstall": "u", "skipped": "s"}


@dataclass(frozen=True, slots=True)
class Step:
    """One connector before the reviewer. `line` is None once the connector is removed."""

    kept: ReviewLine
    line: LedgerLine | None
    total: int
    answered: int
    unmet: list[str | Promise]  # the checklist's items that were answered no

    @property
    def back(self) -> int:
        return max(self.kept.position - 1, 0)

    @property
    def forward(self) -> int:
        return self.kept.position + 1 if self.kept.position < self.total else 0


@dataclass(frozen=True, slots=True)
class Report:
    lines: list[ReviewLine]
    counts: list[tuple[str, int]]  # by answer, "" for those without one

    @property
    def open(self) -> int:
        return dict(self.counts).get("", 0)


def choose_connectors(scope: str) -> tuple[list[Connector], dict[UUID, str]]:
    """Return the connectors of a new review, by name, and their names; `due` takes only those whose time has come."""
    wanted = installed_connectors().exclude(transition=Connector.Transition.REMOVING)
    if scope == "due":
        wanted = wanted.filter(pk__in=connectors_due().order_by().values("pk"))
    connectors = list(wanted)
    texts = describe_connectors(connectors)
    names: dict[UUID, str] = {pk: text.name for pk, text in texts.items()}
    return sorted(connectors, key=lambda each: texts[each.pk].name.casefold()), names


def first_open(review: Review, *, after: int = 0) -> int | None:
    """Return the position of the next line without an answer behind `after`, else of the first, else None."""
    waiting = list(lines_of(review).filter(answer="").values_list("position", flat=True))
    return next((position for position in waiting if position > after), waiting[0] if waiting else None)


def find_line(review: Review, position: int) -> ReviewLine:
    lines = lines_of(review).select_related("connector__version", "connector__category", "review")
    line = lines.filter(position=position).first()
    if line is None:
        raise NotFound("review_not_found")
    return line


def find_last(review: Review, position: str) -> ReviewLine | None:
    """Return the line that was answered just before, to go back to; none for what is no such position."""
    if review.state != Review.State.OPEN or not position.isdecimal() or len(position) > _MOST_DIGITS:
        return None
    return lines_of(review).filter(position=int(position)).exclude(answer="").first()


def read_step(review: Review, kept: ReviewLine) -> Step:
    connector = kept.connector
    line = make_line(ledger_row(connector), describe_connector(connector)) if connector else None
    answers: dict[str, str] = line.row.entry.checklist if line and line.row.entry else {}
    unmet = [title for item, title in ITEM_TITLES.items() if answers.get(item) == NO]
    answers_given = list(lines_of(review).values_list("answer", flat=True))
    return Step(kept, line, len(answers_given), sum(map(bool, answers_given)), unmet)


def read_report(review: Review) -> Report:
    lines = list(lines_of(review).select_related("connector"))
    counted = Counter(line.answer for line in lines)
    order = [*(answer for answer in VERDICTS if answer in ReviewLine.Answer.values), ""]
    return Report(lines, [(answer, counted[answer]) for answer in order if counted[answer]])
