"""The second of two editors of visibility, or of a category, is told who was first; what they chose stays in sight."""

import re

import pytest
from django.test import Client

from connectors.access.models import User
from connectors.audit.models import AdminEvent
from connectors.catalogue.models import Category
from connectors.catalogue.publication import disable_connector
from connectors.catalogue.visibility import set_visibility
from tests.builders.connectors import make_connector
from tests.builders.people import make_administrator, make_team, make_user

pytestmark = pytest.mark.django_db
VISIBILITY, PUBLISH, CATEGORY = (
    "/connectors/notes/visibility/",
    "/connectors/notes/publish/",
    "/categories/productivity/",
)


@pytest.fixture
def bob():
    return make_administrator("bob", display_name="Bob Li")


@pytest.fixture
def notes():
    return make_connector("notes")


def text_of(answer) -> str:
    return re.sub(r"\s+", " ", answer.content.decode())


def edition(page: str) -> str:
    return re.search(r'name="edition" value="(\w+)"', page).group(1)


def narrow(connector, bob) -> None:
    team = make_team("Design", make_user())
    set_visibility(connector=connector, everyone=False, teams=[team], people=[bob], actor=bob)


@pytest.mark.parametrize("address", [VISIBILITY, PUBLISH])
def test_a_choice_made_upon_another_overwrites_nothing_and_tells_whose_it_was(admin, notes, bob, address):
    disable_connector(connector=notes, actor=bob)
    seen = edition(text_of(admin.get(address)))
    narrow(notes, bob)

    answer = admin.post(address, {"audience": "everyone", "edition": seen})

    assert answer.status_code == 409
    page = text_of(answer)
    assert "Bob Li changed this while you were looking at it" in page
    assert "<dd> Design </dd>" in page
    assert re.search(r'value="everyone"[^>]*checked', page)
    assert f"{User.objects.count()} people will see it" in page  # what is chosen, not what is saved
    notes.refresh_from_db()
    assert (notes.everyone, notes.status) == (False, "disabled")


def test_sent_again_it_takes_the_place_of_theirs(admin, notes, bob):
    seen = edition(text_of(admin.get(VISIBILITY)))
    narrow(notes, bob)
    again = edition(text_of(admin.post(VISIBILITY, {"audience": "everyone", "edition": seen})))

    assert admin.post(VISIBILITY, {"audience": "everyone", "edition": again}).status_code == 302

    notes.refresh_from_db()
    assert notes.everyone
    assert AdminEvent.objects.filter(act="visibility_set").count() == 2


def test_a_category_named_meanwhile_tells_its_names_and_keeps_what_was_typed(admin, notes, bob):
    typed = {"name-en": "Desk", "name-zh-hans": "", "icon": ""}
    other = Client()
    other.force_login(bob)
    seen = edition(text_of(admin.get(CATEGORY)))
    other.post(CATEGORY, {"edition": seen, "name-en": "Office", "name-zh-hans": "办公", "icon": "key"})

    answer = admin.post(CATEGORY, {"edition": seen, **typed})

    assert answer.status_code == 409
    page = text_of(answer)
    assert "Bob Li changed this while you were looking at it" in page
    for told in ("<dd> Office </dd>", "<dd> 办公 </dd>", 'value="Desk"'):
        assert told in page
    assert admin.post(CATEGORY, {"edition": edition(page), **typed}).status_code == 302
    assert Category.objects.get(key="productivity").names == {"en": "Desk"}


@pytest.mark.parametrize(
    ("address", "mark", "typed"),
    [
        (VISIBILITY, "edition", {"audience": "chosen", "more_people": "bob"}),
        (CATEGORY, "edition", {"name-en": "Desk", "name-zh-hans": "", "icon": ""}),
        ("/connectors/notes/configuration/", "seen-revision", {"endpoint": "https://b.example/mcp"}),
    ],
)
def test_the_same_sent_twice_is_done_once_and_told_of_as_done(admin, notes, bob, address, mark, typed):
    seen = re.search(rf'name="{mark}" value="(\w+)"', text_of(admin.get(address))).group(1)

    answers = [admin.post(address, typed | {mark: seen}) for _click in range(2)]

    assert [answer.status_code for answer in answers] == [302, 302]
    assert AdminEvent.objects.count() == 1
