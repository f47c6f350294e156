"""From a moment to the ids of that time: a UUIDv7 begins with its milliseconds (RFC 9562 §5.7)."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

# A row's id is made when the row is written, which is at most this long after what it tells of (a call's whole
# budget and the wait for an approval). It lets a time range be found through the primary key.
WRITTEN_WITHIN = timedelta(minutes=15)
_RANDOM_BITS = 80
# An id's milliseconds reach beyond the calendar; there is room above it for the margins that are added.
_LATEST = datetime(9999, 1, 1, tzinfo=UTC)


def lowest_id(moment: datetime) -> UUID:
    """Return the lowest UUIDv7 of that millisecond."""
    return UUID(int=max(0, int(moment.timestamp() * 1000)) << _RANDOM_BITS)


def moment_of(key: UUID) -> datetime:
    """Return when a UUIDv7 was made, to the millisecond; of one no clock has made, at most the year 9999."""
    return datetime.fromtimestamp(min((key.int >> _RANDOM_BITS) / 1000, _LATEST.timestamp()), tz=UTC)
