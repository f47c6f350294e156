"""An update follows the category its manifest names, unless an administrator chose one; its place stays where it can."""

import pytest

from connectors.catalogue.categories import ensure_category, set_connector_category
from connectors.catalogue.category_editing import merge_categories
from connectors.catalogue.models import Category, Connector
from connectors.catalogue.ordering import Spot, move_connector
from tests.builders.connectors import make_connector
from tests.builders.packages import build_manifest
from tests.builders.versions import update

pytestmark = pytest.mark.django_db


def named(category: str) -> dict[str, object]:
    return build_manifest()["presentation"] | {"category": category}


def now(connector: Connector) -> Connector:
    return Connector.objects.select_related("category").get(pk=connector.pk)


def test_an_update_that_names_another_category_moves_there(workshop):
    connector = workshop.install()
    update(connector, workshop.pack("1.1.0", presentation=named("finance")))
    assert now(connector).category.key == "finance"


def test_a_chosen_category_outlives_an_update_and_then_follows_the_newer_manifest(workshop):
    connector = workshop.install()
    set_connector_category(connector=connector, category=ensure_category("office"), actor=None)
    update(connector, workshop.pack("1.1.0", presentation=named("finance")))
    assert now(connector).category.key == "office"
    set_connector_category(connector=now(connector), category=None, actor=None)
    assert now(connector).category.key == "finance"


def test_an_update_within_its_category_keeps_the_place(workshop):
    connector = workshop.install()
    for key in ("a", "b"):
        make_connector(key)
    move_connector(connector=now(connector), to=Spot.FIRST, actor=None)
    update(connector, workshop.pack("1.1.0"))
    assert now(connector).category.connectors.first() == connector


def test_an_update_that_names_a_merged_category_goes_where_that_went(workshop):
    connector = workshop.install()
    merge_categories(source=ensure_category("finance"), target=ensure_category("money"), actor=None)
    update(connector, workshop.pack("1.1.0", presentation=named("finance")))
    assert now(connector).category.key == "money"
    assert Category.objects.get(key="finance").connectors.count() == 0
