"""Categories, their order, and acts on several connectors, as an administrator does them by form."""

import re

import pytest
from django.test import Client

from connectors.audit.models import AdminEvent
from connectors.catalogue.categories import ensure_category
from connectors.catalogue.models import Category, Connector
from tests.builders.connectors import make_connector, make_manifest
from tests.builders.people import make_administrator, make_user

pytestmark = pytest.mark.django_db


def make_in(category: str, key: str, **fields) -> Connector:
    manifest = make_manifest(key)
    manifest["presentation"]["category"] = category
    return make_connector(key, manifest=manifest, **fields)


def text_of(answer) -> str:
    return re.sub(r"\s+", " ", answer.content.decode())


def edition(admin, key: str) -> str:
    return re.search(r'name="edition" value="(\w+)"', text_of(admin.get(f"/categories/{key}/"))).group(1)


def rename(admin, key: str, **fields):
    typed = {"edition": edition(admin, key), "name-en": "", "name-zh-hans": "", "icon": ""}
    return admin.post(f"/categories/{key}/", typed | {name.replace("_", "-"): text for name, text in fields.items()})


def test_people_read_the_name_in_their_language_wherever_it_stands(admin):
    make_in("work_tools", "notes")
    rename(admin, "work_tools", **{"name-en": "Office", "name-zh-hans": "办公", "icon": "briefcase"})
    for language, name in (("en", "Office"), ("zh-hans", "办公")):
        reader = Client()
        reader.force_login(make_administrator(language=language))
        for page in ("/catalogue/", "/catalogue/notes/", "/connectors/", "/connectors/notes/", "/categories/"):
            assert name in text_of(reader.get(page)), page


def test_every_fault_of_the_names_stands_at_its_field(admin):
    make_in("work", "notes")
    ensure_category("travel")
    answer = rename(admin, "work", **{"name-en": "Travel"})
    assert answer.status_code == 422
    assert "Another category has this name." in text_of(answer)


def test_the_second_editor_of_a_category_overwrites_nothing(admin):
    make_in("work", "notes")
    seen = edition(admin, "work")
    rename(admin, "work", **{"name-en": "Office"})
    answer = admin.post("/categories/work/", {"edition": seen, "name-en": "Desk", "name-zh-hans": "", "icon": ""})
    assert answer.status_code == 409
    assert Category.objects.get(key="work").names == {"en": "Office"}


def test_two_are_merged_and_taken_apart_again(admin):
    notes = make_in("writing", "notes")
    make_in("office", "mail")
    page = text_of(admin.post("/categories/writing/merge/", {"into": "office"}, follow=True))
    assert "“Writing” was merged into “Office”" in page.replace("&quot;", '"')
    assert "/categories/writing/separate/" in page
    assert admin.get("/categories/writing/").status_code == 404
    admin.post("/categories/writing/separate/")
    notes.refresh_from_db()
    assert notes.category.key == "writing"


def test_merging_into_nothing_is_refused_at_its_field(admin):
    make_in("writing", "notes")
    ensure_category("office")
    answer = admin.post("/categories/writing/merge/", {"into": ""})
    assert answer.status_code == 422
    assert Category.objects.get(key="writing").merged_into is None


def test_a_connectors_category_is_chosen_and_given_back(admin):
    make_in("writing", "notes")
    ensure_category("office")
    page = text_of(admin.post("/connectors/notes/category/", {"category": "office"}, follow=True))
    assert "Chosen by an administrator" in page
    admin.post("/connectors/notes/category/", {"category": ":manifest"})
    assert Connector.objects.get(key="notes").category.key == "writing"


def test_a_button_moves_a_connector_without_javascript_and_keeps_the_address(admin):
    for key in ("a", "b", "c"):
        make_connector(key)
    answer = admin.post("/order/connectors/", {"move": "up:c", "back": "category=productivity&evil=//x"})
    assert answer.url == "/connectors/?category=productivity&evil=%2F%2Fx"
    page = text_of(admin.get("/connectors/"))
    assert re.findall(r'<tr data-key="(\w)"', page) == ["a", "c", "b"]


def test_a_script_moves_it_beside_a_neighbour_and_is_told_when_that_is_gone(admin):
    for key in ("a", "b", "c"):
        make_connector(key)
    script = {"headers": {"X-Order": "1"}}
    assert admin.post("/order/connectors/", {"move": "before:c", "neighbour": "a"}, **script).status_code == 204
    assert admin.post("/order/connectors/", {"move": "before:c", "neighbour": "z"}, **script).status_code == 409
    assert admin.post("/order/connectors/", {"move": "sideways:c"}, **script).status_code == 409
    assert [each.key for each in Connector.objects.all()] == ["c", "a", "b"]


def test_people_see_shelves_and_connectors_in_the_administrators_order(admin):
    for category, key in (("one", "alpha"), ("one", "beta"), ("two", "gamma")):
        make_in(category, key)
    admin.post("/order/connectors/", {"move": "down:alpha"})
    admin.post("/order/categories/", {"move": "up:two"})
    client = Client()
    client.force_login(make_user())
    assert re.findall(r'href="/catalogue/(\w+)/"', text_of(client.get("/catalogue/"))) == ["gamma", "beta", "alpha"]


def test_a_bulk_act_first_says_what_it_would_do(admin):
    make_connector("draft", published=False, everyone=False)
    make_connector("out")
    page = text_of(admin.get("/bulk/connectors/?act=publish&connector=draft&connector=out&connector=gone"))
    assert "0 people will see it." in page
    assert "Published already" in page
    assert Connector.objects.get(key="draft").status == "draft"


def test_a_bulk_act_tells_a_row_of_each_and_records_only_what_changed(admin):
    make_connector("draft", published=False)
    make_connector("out")
    page = text_of(admin.post("/bulk/connectors/", {"act": "disable", "connector": ["draft", "out", "gone"]}))
    rows = re.findall(r"<tr> <td>.*?</tr>", page)
    assert [("Done" in row, "Refused" in row) for row in rows] == [(False, True), (True, False), (False, True)]
    assert "nothing to withdraw" in rows[0]
    assert [(event.act, event.target_name) for event in AdminEvent.objects.all()] == [("connector_disabled", "out")]
    again = text_of(admin.post("/bulk/connectors/", {"act": "disable", "connector": ["out"]}))
    assert "Unchanged" in again


def test_several_are_categorized_at_once_with_an_event_each(admin):
    for key in ("a", "b"):
        make_in("writing", key)
    ensure_category("office")
    admin.post("/bulk/connectors/", {"act": "categorize", "category": "office", "connector": ["a", "b"]})
    assert set(Connector.objects.values_list("category__key", flat=True)) == {"office"}
    assert AdminEvent.objects.filter(act="category_set").count() == 2


def test_a_bulk_act_without_a_category_or_a_selection_does_nothing(admin):
    make_in("writing", "a")
    chosen = {"act": "categorize", "category": "", "connector": ["a"]}
    assert admin.post("/bulk/connectors/", chosen).status_code == 422
    assert "No connector is selected" in text_of(admin.get("/bulk/connectors/?act=publish"))
    assert admin.get("/bulk/connectors/?act=explode").url == "/connectors/"
    assert not AdminEvent.objects.exists()
