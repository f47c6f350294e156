"""One act on many connectors: each is a transaction and an event of its own, and tells what became of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from connectors.access.models import User
from connectors.catalogue.categories import set_connector_category
from connectors.catalogue.models import Category, Connector
from connectors.catalogue.publication import disable_connector, publish_connector
from connectors.catalogue.queries import installed_connectors
from connectors.errors import NotFound, Refused


class Outcome(StrEnum):
    DONE = "done"
    UNCHANGED = "unchanged"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class BulkRow:
    """What became of one connector; it is None where the key names none (any more). `why` tells of a refusal."""

    key: str
    connector: Connector | None
    outcome: Outcome
    why: Refused | None = None


def publish_connectors(*, keys: Sequence[str], actor: User | None) -> tuple[BulkRow, ...]:
    """Publish each to those who may see it by its own visibility, which stays as it is."""
    return _each(keys, lambda connector: publish_connector(connector=connector, actor=actor))


def disable_connectors(*, keys: Sequence[str], actor: User | None) -> tuple[BulkRow, ...]:
    """Withdraw each; a draft has nothing to withdraw and is refused."""
    return _each(keys, lambda connector: disable_connector(connector=connector, actor=actor))


def categorize_connectors(*, keys: Sequence[str], category: Category | None, actor: User | None) -> tuple[BulkRow, ...]:
    """Put each into a category, or back into its manifest's."""
    return _each(keys, lambda connector: set_connector_category(connector=connector, category=category, actor=actor))


def _each(keys: Sequence[str], act: Callable[[Connector], Connector]) -> tuple[BulkRow, ...]:
    wanted = list(dict.fromkeys(keys))
    found = {connector.key: connector for connector in installed_connectors().filter(key__in=wanted)}
    return tuple(_one(key, found.get(key), act) for key in wanted)


def _one(key: str, connector: Connector | None, act: Callable[[Connector], Connector]) -> BulkRow:
    if connector is None:
        return BulkRow(key, None, Outcome.REFUSED, NotFound("connector_not_found", key=key))
    before = _mark(connector)
    try:
        after = act(connector)
    except Refused as why:
        return BulkRow(key, connector, Outcome.REFUSED, why)
    return BulkRow(key, after, Outcome.UNCHANGED if _mark(after) == before else Outcome.DONE)


def _mark(connector: Connector) -> tuple[object, ...]:
    return connector.status, connector.category_id, connector.category_overridden
