"""The order of connectors and categories: relative to what it is when it changes, so that two changes both hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.audit.models import AdminEvent
from connectors.catalogue.categories import ensure_category, set_connector_category
from connectors.catalogue.models import Category
from connectors.catalogue.ordering import (
    Spot,
    move_category,
    move_connector,
    place,
)
from connectors.catalogue.queries import visible_connectors
from connectors.errors import Conflict
from tests.builders.connectors import make_connector
from tests.builders.people import make_user

KEYS = st.lists(st.sampled_from("abcdefgh"), unique=True, min_size=1)


@given(KEYS, st.sampled_from([Spot.UP, Spot.DOWN, Spot.FIRST, Spot.LAST]))
def test_a_move_keeps_the_others_in_their_order(keys, to):
    order = place(keys, keys[0], to)
    assert [key for key in order if key != keys[0]] == keys[1:]


@pytest.mark.parametrize(
    ("key", "to", "neighbour", "order"),
    [
        ("b", Spot.UP, "", "bacd"),
        ("b", Spot.DOWN, "", "acbd"),
        ("a", Spot.UP, "", "abcd"),
        ("d", Spot.DOWN, "", "abcd"),
        ("c", Spot.FIRST, "", "cabd"),
        ("b", Spot.LAST, "", "acdb"),
        ("d", Spot.BEFORE, "b", "adbc"),
        ("a", Spot.AFTER, "c", "bcad"),
    ],
)
def test_where_a_move_leads(key, to, neighbour, order):
    assert "".join(place("abcd", key, to, neighbour)) == order


def order_of(person=None) -> list[str]:
    return [connector.key for connector in visible_connectors(person or make_user())]


@pytest.fixture
def shelf(db):
    return [make_connector(key) for key in ("calendar", "mail", "notes", "tasks")]


def test_until_somebody_orders_them_the_key_decides(shelf):
    assert order_of() == ["calendar", "mail", "notes", "tasks"]


def test_people_see_the_order_given(shelf):
    move_connector(connector=shelf[3], to=Spot.FIRST, actor=None)
    assert order_of() == ["tasks", "calendar", "mail", "notes"]


def test_a_move_is_one_event_with_both_orders(shelf):
    move_connector(connector=shelf[3], to=Spot.BEFORE, neighbour="mail", actor=None)
    event = AdminEvent.objects.get()
    assert (event.act, event.target_name) == ("connectors_ordered", "productivity")
    assert event.before["order"] == ["calendar", "mail", "notes", "tasks"]
    assert event.after["order"] == order_of() == ["calendar", "tasks", "mail", "notes"]


def test_a_move_to_where_it_is_changes_nothing(shelf):
    move_connector(connector=shelf[0], to=Spot.FIRST, actor=None)
    assert not AdminEvent.objects.exists()


def test_two_moves_from_one_page_both_hold(shelf):
    move_connector(connector=shelf[0], to=Spot.LAST, actor=None)
    move_connector(connector=shelf[2], to=Spot.BEFORE, neighbour="mail", actor=None)
    assert order_of() == ["notes", "mail", "tasks", "calendar"]


def test_a_neighbour_that_left_the_category_is_told(shelf):
    set_connector_category(connector=shelf[1], category=ensure_category("letters"), actor=None)
    with pytest.raises(Conflict, match="order_changed"):
        move_connector(connector=shelf[3], to=Spot.BEFORE, neighbour="mail", actor=None)


def test_one_that_comes_into_an_ordered_category_comes_last(shelf):
    move_connector(connector=shelf[3], to=Spot.FIRST, actor=None)
    late = make_connector("agenda", manifest=None)
    set_connector_category(connector=late, category=ensure_category("letters"), actor=None)
    set_connector_category(connector=late, category=None, actor=None)
    assert order_of()[-1] == "agenda"


def test_categories_are_ordered_alike(db):
    for key in ("one", "three", "two"):
        ensure_category(key)
    move_category(category=Category.objects.get(key="two"), to=Spot.UP, actor=None)
    assert list(Category.objects.values_list("key", flat=True)) == ["one", "two", "three"]
    move_category(category=Category.objects.get(key="three"), to=Spot.FIRST, actor=None)
    assert list(Category.objects.values_list("key", flat=True)) == ["three", "one", "two"]
    assert ensure_category("four").position == 4
