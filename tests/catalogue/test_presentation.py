"""A connector's page in the reader's language."""

import pytest

from connectors.catalogue.categories import ensure_category
from connectors.catalogue.models import Category
from connectors.catalogue.presentation import name_category, present_connector
from tests.builders.connectors import TEXTS, make_connector

pytestmark = pytest.mark.django_db

PRESENTATION = {
    "name_key": "name",
    "description_key": "description",
    "icon": "assets/icon.svg",
    "category": "office-work",
    "sections": [
        {"type": "notice", "title_key": "name", "items": []},
        {"type": "help_links", "title_key": "name", "items": [{"title_key": "token", "url": "https://help.example"}]},
    ],
    "connection_actions": [
        {"type": "reauthorize", "label_key": "token"},
        {"type": "open_service", "label_key": "name", "url": "https://service.example"},
    ],
}


def test_it_reads_in_the_readers_language_and_falls_back_to_the_packages_own():
    connector = make_connector(presentation=PRESENTATION)
    assert present_connector(connector, "zh-hans").name == TEXTS["zh-CN"]["name"]
    assert present_connector(connector, "fr").name == TEXTS["en"]["name"]


def test_it_shows_sections_actions_and_the_icon():
    view = present_connector(make_connector(presentation=PRESENTATION), "en")
    assert [section.type for section in view.sections] == ["notice", "help_links"]
    assert view.sections[1].items[0].url == "https://help.example"
    assert [(action.type, action.url) for action in view.actions] == [
        ("reauthorize", ""),
        ("open_service", "https://service.example"),
    ]
    assert len(view.icon_digest) == 64
    assert (view.strategy, view.connection_policy) == ("none", "single_per_user")


def test_a_category_is_made_once_and_named_by_its_key_until_somebody_names_it():
    category = ensure_category("office-work")
    assert ensure_category("office-work") == category
    assert Category.objects.count() == 1
    assert name_category(category, "en") == "Office work"
    category.names = {"zh": "效率办公", "en": "Office"}
    assert [name_category(category, language) for language in ("zh-hans", "en", "fr")] == [
        "效率办公",
        "Office",
        "效率办公",
    ]
