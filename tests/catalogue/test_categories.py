"""Categories: made on first sight, named in each language, merged and separated, chosen over the manifest's."""

import pytest

from connectors.audit.models import AdminEvent
from connectors.catalogue.categories import ensure_category, set_connector_category, settle_category
from connectors.catalogue.category_editing import (
    edition_of,
    merge_categories,
    rename_category,
    separate_category,
)
from connectors.catalogue.models import Category
from connectors.errors import Conflict, Invalid, NotFound
from tests.builders.connectors import make_connector, make_manifest
from tests.builders.people import make_administrator

pytestmark = pytest.mark.django_db


def make_in(category: str, key: str, **fields):
    manifest = make_manifest(key)
    manifest["presentation"]["category"] = category
    return make_connector(key, manifest=manifest, **fields)


def events(act: str) -> list[AdminEvent]:
    return list(AdminEvent.objects.filter(act=act))


def test_a_category_is_made_once_under_the_manifests_name():
    assert ensure_category("finance").pk == ensure_category("finance").pk
    assert Category.objects.get().key == "finance"


def test_a_name_is_told_in_the_readers_language_and_falls_back():
    category = rename_category(category=ensure_category("work_tools"), names={"zh-hans": "办公"}, icon="", actor=None)
    assert category.display_name("zh-hans") == "办公"
    assert category.display_name("en") == "办公"
    assert ensure_category("book_keeping").display_name("en") == "Book keeping"


def test_renaming_is_recorded_with_before_and_after():
    rename_category(category=ensure_category("work"), names={"en": " Daily  work "}, icon="briefcase", actor=None)
    (event,) = events("category_renamed")
    assert event.before == {"names": {}, "icon": ""}
    assert event.after == {"names": {"en": "Daily work"}, "icon": "briefcase"}


def test_the_same_names_again_change_nothing():
    category = rename_category(category=ensure_category("work"), names={"en": "Work"}, icon="", actor=None)
    rename_category(category=category, names={"en": "Work", "zh-hans": ""}, icon="", actor=None)
    assert len(events("category_renamed")) == 1


def test_every_fault_of_a_renaming_comes_at_once():
    ensure_category("travel")
    with pytest.raises(Invalid) as caught:
        rename_category(
            category=ensure_category("work"),
            names={"en": "Travel", "zh-hans": "很" * 65, "tlh": "Qap"},
            icon="no-such-icon",
            actor=None,
        )
    assert {(fault.code, fault.where) for fault in caught.value.faults} == {
        ("category_name_taken", "name-en"),
        ("name_invalid", "name-zh-hans"),
        ("category_language_unknown", "name-tlh"),
        ("category_icon_unknown", "icon"),
    }


def test_the_second_to_rename_a_category_is_told():
    category = ensure_category("work")
    seen = edition_of(category)
    rename_category(category=category, names={"en": "Office"}, icon="", actor=None, edition=seen)
    with pytest.raises(Conflict, match="category_changed"):
        rename_category(category=category, names={"en": "Desk"}, icon="", actor=None, edition=seen)


def test_merging_moves_the_connectors_and_is_one_event():
    notes, mail = make_in("writing", "notes"), make_in("office", "mail")
    target = merge_categories(source=notes.category, target=mail.category, actor=make_administrator())
    assert {each.key for each in target.connectors.all()} == {"notes", "mail"}
    assert [event.act for event in AdminEvent.objects.all()] == ["categories_merged"]


def test_a_manifest_that_names_a_merged_category_means_the_one_it_was_merged_into():
    writing, office, work = (ensure_category(key) for key in ("writing", "office", "work"))
    merge_categories(source=writing, target=office, actor=None)
    merge_categories(source=office, target=work, actor=None)
    assert ensure_category("writing") == ensure_category("office") == work


def test_a_category_is_not_merged_with_itself_nor_with_one_that_is_gone():
    writing, office = ensure_category("writing"), ensure_category("office")
    with pytest.raises(Conflict, match="category_merged_with_itself"):
        merge_categories(source=writing, target=writing, actor=None)
    merge_categories(source=writing, target=office, actor=None)
    with pytest.raises(Conflict, match="category_gone"):
        merge_categories(source=writing, target=office, actor=None)
    with pytest.raises(NotFound):
        rename_category(category=writing, names={"en": "Writing"}, icon="", actor=None)


def test_separating_brings_back_who_names_it_but_not_who_was_placed():
    notes, letters = make_in("writing", "notes"), make_in("writing", "letters")
    office = ensure_category("office")
    merge_categories(source=notes.category, target=office, actor=None)
    set_connector_category(connector=letters, category=office, actor=None)
    separate_category(category=Category.objects.get(key="writing"), actor=None)
    for connector in (notes, letters):
        connector.refresh_from_db()
    assert notes.category.key == "writing"
    assert letters.category.key == "office"


def test_a_chosen_category_outlives_an_update_and_can_be_given_back():
    notes = make_in("writing", "notes")
    chosen = set_connector_category(connector=notes, category=ensure_category("office"), actor=None)
    settle_category(chosen, "letters")  # what an update does with a manifest that names another
    assert chosen.category.key == "office"
    back = set_connector_category(connector=notes, category=None, actor=None)
    assert (back.category.key, back.category_overridden) == ("writing", False)
    assert [event.after["category"] for event in events("category_set")] == ["writing", "office"]


def test_an_update_follows_the_manifest_where_nobody_chose():
    notes = make_in("writing", "notes")
    settle_category(notes, "letters")
    assert notes.category.key == "letters"


def test_choosing_a_merged_category_is_refused():
    notes, office = make_in("writing", "notes"), ensure_category("office")
    merge_categories(source=office, target=ensure_category("work"), actor=None)
    with pytest.raises(Conflict, match="category_gone"):
        set_connector_category(connector=notes, category=office, actor=None)
