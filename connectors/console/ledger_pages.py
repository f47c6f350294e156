"""What the ledger's pages show: every connector's row, and all that is known of one."""

from dataclasses import dataclass
from itertools import islice
from typing import Final

from connectors.catalogue.models import Connector
from connectors.catalogue.queries import installed_connectors
from connectors.console.ledger_words import HEALTH_WORDS, HealthWords, word_suggestion
from connectors.console.presentation import ConnectorText, describe_connector, describe_connectors
from connectors.console.stages import STAGES, Stage
from connectors.ledger.checklist import ChecklistSummary, summarize_checklist
from connectors.ledger.models import Disposition, Probe, ToolChange
from connectors.ledger.queries import (
    NEVER_ASKED,
    Affected,
    Availability,
    dispositions_of,
    find_affected,
    read_availability,
    tool_changes_of,
)
from connectors.ledger.rows import EVERYTHING, LedgerRow, Part, ledger_row, ledger_rows

FEW = 10
PAGE_SIZE = 25
SHOWN: Final = EVERYTHING & ~(Part.QUANTILES | Part.TOOLS | Part.REACH | Part.CONNECTIONS)  # in the list's columns
_HEAVY = ("version__manifest", "version__texts", "version__skills", "configuration")


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """A row with its words: what it is for, and why its disposition is suggested."""

    row: LedgerRow
    text: ConnectorText
    suggested: str

    @property
    def purpose(self) -> str:
        return self.row.purpose or self.text.description

    @property
    def checklist(self) -> ChecklistSummary:
        return summarize_checklist(self.row.entry.checklist if self.row.entry else {})


@dataclass(frozen=True, slots=True)
class LedgerList:
    """Some lines of the ledger, of how many there are; `older` is the key the next page begins behind, or nothing."""

    lines: list[LedgerLine]
    total: int
    older: str


@dataclass(frozen=True, slots=True)
class EndpointView:
    """How a connector's endpoints stand; `stage` says where the last asking stopped."""

    probe: Probe | None
    words: HealthWords
    stage: Stage | None
    availability: Availability
    affected: Affected
    changes: list[ToolChange]


@dataclass(frozen=True, slots=True)
class LedgerPage:
    line: LedgerLine
    endpoint: EndpointView
    history: list[Disposition]


def list_ledger(*, after: str = "", size: int | None = None, parts: Part = EVERYTHING) -> LedgerList:
    """Return the lines behind a connector's key, by name, or all of them; a fixed number of queries."""
    connectors = list(installed_connectors().select_related(None).only("key", "version").order_by("key"))
    texts = describe_connectors(connectors)
    ordered = sorted(connectors, key=lambda each: (texts[each.pk].name.casefold(), each.key))
    keys = [each.key for each in ordered]
    start = keys.index(after) + 1 if after in keys else 0
    behind = ordered[start : start + size if size else None]
    known = installed_connectors().defer(*_HEAVY).in_bulk([each.pk for each in behind])
    page = [known[each.pk] for each in behind if each.pk in known]  # the others were removed just now
    rows = ledger_rows(page, parts=parts)
    lines = [make_line(rows[connector.pk], texts[connector.pk]) for connector in page]
    return LedgerList(lines, len(ordered), behind[-1].key if start + len(behind) < len(ordered) else "")


def read_ledger_page(connector: Connector) -> LedgerPage:
    row = ledger_row(connector)
    return LedgerPage(
        line=make_line(row, describe_connector(connector)),
        endpoint=read_endpoint(row),
        history=list(islice(dispositions_of(connector), FEW)),
    )


def make_line(row: LedgerRow, text: ConnectorText) -> LedgerLine:
    return LedgerLine(row, text, word_suggestion(row.suggestion))


def read_endpoint(row: LedgerRow) -> EndpointView:
    connector, probe = row.connector, row.probe
    return EndpointView(
        probe=probe,
        words=HEALTH_WORDS[row.health],
        stage=STAGES.get(probe.stage) if probe else None,
        availability=read_availability([connector.pk]).get(connector.pk, NEVER_ASKED),
        affected=find_affected(connector),
        changes=list(tool_changes_of(connector)[:FEW]),
    )
