"""A row of a log with the words around it, and the fields it is shown by.

A `Field` is a column of the list and a fact on the record's own page; `names` are the columns of the table behind it,
which is what an export of it holds.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.utils.functional import Promise

from connectors.access.models import User
from connectors.audit.models import AdminEvent, CallRecord, DecisionRecord
from connectors.console.acts import EventLine, describe_event
from connectors.console.denials import Explanation, explain
from connectors.console.presentation import describe_keys

type Text = str | Promise
type Record = CallRecord | DecisionRecord | AdminEvent


@dataclass(frozen=True, slots=True)
class CallLine:
    record: CallRecord
    connector: str
    mine: bool


@dataclass(frozen=True, slots=True)
class DecisionLine:
    record: DecisionRecord
    connector: str
    mine: bool

    @property
    def explanation(self) -> Explanation:
        return explain(self.record, mine=self.mine)


type Line = CallLine | DecisionLine | EventLine


@dataclass(frozen=True, slots=True, kw_only=True)
class Field[OneLine: Line]:
    """`group` is where the record's page tells it; one without a group is a column only, `fact_only` is none.

    `first` and `first_own` are shown while nobody has chosen columns, in everybody's log and in one's own.
    """

    key: str
    title: Text
    names: tuple[str, ...]
    show: Callable[[OneLine], Text]
    group: str = ""
    first: bool = False
    first_own: bool = False
    number: bool = False
    fact_only: bool = False  # another column tells the same
    for_everyone: bool = False  # only where other people's rows are in the list


def word_calls(rows: Iterable[CallRecord], reader: User) -> list[CallLine]:
    rows = list(rows)
    names = describe_keys(row.connector_key for row in rows)
    return [CallLine(row, names[row.connector_key], row.person_id == reader.pk) for row in rows]


def word_decisions(rows: Iterable[DecisionRecord], reader: User) -> list[DecisionLine]:
    rows = list(rows)
    names = describe_keys(row.connector_key for row in rows)
    return [DecisionLine(row, names[row.connector_key], row.person_id == reader.pk) for row in rows]


def word_events(rows: Iterable[AdminEvent], _reader: User) -> list[EventLine]:
    return [describe_event(row) for row in rows]
