"""How much connectors are used, from the call log; grouped, so that a list asks once however long it is."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from django.db.models import Count

from connectors.audit.models import CallRecord


def count_calls(keys: Collection[str], *, since: datetime) -> dict[str, int]:
    """Return the number of calls by connector key since a moment; a connector without calls is 0."""
    counted = (
        CallRecord.objects.filter(connector_key__in=keys, id__gte=_first_id(since))
        .order_by()
        .values_list("connector_key")
        .annotate(calls=Count("id"))
    )
    return dict.fromkeys(keys, 0) | dict(counted)


def _first_id(moment: datetime) -> UUID:
    """Return the smallest UUIDv7 of a moment: ids rise with time, so an index on them is an index on time."""
    milliseconds = int(moment.timestamp() * 1000)
    return UUID(int=milliseconds << 80)
