"""Two administrators order, merge and place at the same moment: each act happens whole, one after the other."""

from functools import partial

import pytest

from connectors.audit.models import AdminEvent
from connectors.catalogue.categories import ensure_category, set_connector_category
from connectors.catalogue.category_editing import merge_categories
from connectors.catalogue.models import Category, Connector
from connectors.catalogue.ordering import Spot, move_connector
from connectors.errors import ConnectorError
from tests.builders.connectors import make_connector
from tests.builders.together import codes, run_together

pytestmark = pytest.mark.django_db(transaction=True)
KEYS = ["a", "b", "c", "d", "e", "f"]


def make_shelf() -> dict[str, Connector]:
    return {key: make_connector(key) for key in KEYS}


def order() -> list[str]:
    return list(Connector.objects.order_by("position", "key").values_list("key", flat=True))


def replay() -> list[str]:
    """Return what the log says the order became; each act must begin where the one before ended."""
    known = list(KEYS)
    for event in AdminEvent.objects.filter(act="connectors_ordered").order_by("pk"):
        assert event.before["order"] == known
        known = event.after["order"]
    return known


def test_moves_at_the_same_moment_all_hold_and_the_log_replays_to_the_order():
    shelf = make_shelf()
    results = run_together(
        *(partial(move_connector, connector=shelf[key], to=Spot.FIRST, actor=None) for key in "cde"),
        partial(move_connector, connector=shelf["a"], to=Spot.LAST, actor=None),
    )
    assert set(codes(results)) == {""}
    assert set(order()[:3]) == {"c", "d", "e"}
    assert order()[-1] == "a"
    assert order() == replay()


def test_merging_two_into_each_other_merges_one():
    one, two = ensure_category("one"), ensure_category("two")
    results = run_together(
        partial(merge_categories, source=one, target=two, actor=None),
        partial(merge_categories, source=two, target=one, actor=None),
    )
    assert sorted(codes(results)) == ["", "category_gone"]
    assert Category.objects.filter(merged_into=None).count() == 1


def test_a_connector_is_never_left_in_a_category_that_is_being_merged():
    make_shelf()
    mail, office, work = make_connector("mail"), ensure_category("office"), ensure_category("work")
    results = run_together(
        partial(set_connector_category, connector=mail, category=office, actor=None),
        partial(merge_categories, source=office, target=work, actor=None),
    )
    assert not [
        result for result in results if isinstance(result, Exception) and not isinstance(result, ConnectorError)
    ]
    mail.refresh_from_db()
    assert mail.category.merged_into_id is None
