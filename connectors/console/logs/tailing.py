"""What has come in since a page was read: asked for by the page itself, every two seconds while it shows.

Rows are found by key. Writers commit side by side, so a row may appear a moment after one with a higher key: the search
begins a little before the key that was given, and the page leaves out what it has.
"""

import uuid
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.http import QueryDict

from connectors.access.models import User
from connectors.console.logs.kinds import Log
from connectors.console.logs.listing import Row, choose_columns, fill_rows

TAIL: Final = "rows-new"  # what the page asks into
SINCE: Final = "since_key"
MOST: Final = 300
LATE: Final = timedelta(seconds=2)
_KEY_MILLISECONDS = 80  # a UUIDv7 begins with its milliseconds (RFC 9562 §5.7)


@dataclass(frozen=True, slots=True)
class Tail:
    """New rows, newest first; `skipped` says that more came in than are shown."""

    rows: list[Row]
    skipped: bool


def tail_log(log: Log, query: QueryDict, reader: User, *, since: uuid.UUID | None) -> Tail:
    form = log.make_form(query)
    found = log.source.newest(log.read_filters(form, reader), since=_earlier(since), limit=MOST)
    return Tail(fill_rows(log.source.word(found.rows, reader), choose_columns(log, form)), found.more)


def _earlier(key: uuid.UUID | None) -> uuid.UUID:
    if key is None:
        return uuid.UUID(int=0)
    return uuid.UUID(int=max(0, key.int - ((LATE // timedelta(milliseconds=1)) << _KEY_MILLISECONDS)))
