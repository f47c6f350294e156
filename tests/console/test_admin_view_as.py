"""View as: what a person sees, in their language; read-only, for administrators, each look in the log."""

import re

import pytest

from connectors.audit.models import AdminEvent
from tests.builders.connectors import make_connection, make_connector
from tests.builders.people import make_team, make_user

pytestmark = pytest.mark.django_db


def text_of(answer) -> str:
    return re.sub(r"\s+", " ", answer.content.decode())


def viewed(answer) -> str:
    """What is inside the frame: what the person sees."""
    found = re.search(r'<section class="viewed".*?</main>', text_of(answer))
    return found.group(0) if found else ""


def test_only_what_the_person_may_see_is_shown(admin):
    mei = make_user("mei")
    make_connector("notes", everyone=False, teams=[make_team("Support", mei)])
    make_connector("payroll", everyone=False)
    page = viewed(admin.get(f"/view-as/{mei.pk}/"))
    assert f"/view-as/{mei.pk}/notes/" in page
    assert "payroll" not in page


def test_it_is_told_in_the_persons_language_inside_an_administrators_page(admin):
    mei = make_user("mei", language="zh-hans")
    make_connector("notes")
    answer = admin.get(f"/view-as/{mei.pk}/")
    assert "笔记本" in viewed(answer)
    assert 'lang="zh-hans"' in text_of(answer)
    assert "Viewing as mei" in text_of(answer)


def test_the_persons_own_account_shows_and_nothing_can_be_pressed(admin):
    mei = make_user("mei")
    make_connection(mei, make_connector("notes", policy="multiple_per_user"), alias="work")
    page = viewed(admin.get(f"/view-as/{mei.pk}/notes/"))
    assert "work" in page
    assert "<form" not in page
    assert "disabled" in page
    assert "/connections/" not in page
    assert 'href="/catalogue/' not in page


def test_each_look_is_an_act_of_the_administrator(admin):
    mei = make_user("mei")
    make_connector("notes")
    admin.get(f"/view-as/{mei.pk}/")
    admin.get(f"/view-as/{mei.pk}/notes/")
    looks = AdminEvent.objects.filter(act="viewed_as").order_by("id")
    assert [(look.target_name, look.after) for look in looks] == [
        ("mei", {"page": "catalogue"}),
        ("mei", {"page": "notes"}),
    ]
    assert looks[0].actor_name == "Ada"


def test_a_search_within_a_look_is_the_same_look(admin):
    mei = make_user("mei")
    make_connector("notes")
    part = admin.get(f"/view-as/{mei.pk}/?q=notbook", headers={"HX-Request": "true", "HX-Target": "results"})
    assert f"/view-as/{mei.pk}/notes/" in text_of(part)
    assert not AdminEvent.objects.exists()


def test_a_connector_not_shared_says_why_and_shows_nothing(admin):
    mei = make_user("mei")
    make_connector("payroll", everyone=False)
    answer = admin.get(f"/view-as/{mei.pk}/payroll/")
    assert "it is not shared with them" in text_of(answer)
    assert viewed(answer) == ""


def test_a_draft_is_shown_as_it_will_be_seen(admin):
    mei = make_user("mei")
    make_connector("notes", published=False)
    answer = admin.get(f"/view-as/{mei.pk}/notes/")
    assert "it is a draft" in text_of(answer)
    assert "Notebook" in viewed(answer)


def test_nobody_acts_as_somebody_by_it(admin):
    mei = make_user("mei")
    make_connector("notes")
    admin.get(f"/view-as/{mei.pk}/notes/")
    assert admin.post(f"/view-as/{mei.pk}/notes/").status_code == 405
    assert "mei" not in text_of(admin.get("/preferences/"))


def test_a_user_name_leads_there_at_once_and_a_part_of_one_lists_people(admin):
    mei = make_user("mei", display_name="Mei Chen")
    make_user("meike")
    assert admin.get("/view-as/?q=mei").url == f"/view-as/{mei.pk}/"
    assert admin.get("/view-as/?q=mei&connector=notes").url == f"/view-as/{mei.pk}/notes/"
    page = text_of(admin.get("/view-as/?q=chen"))
    assert "Mei Chen" in page
    assert "meike" not in page


def test_somebody_deactivated_sees_nothing(admin):
    mei = make_user("mei", is_active=False)
    make_connector("notes")
    answer = admin.get(f"/view-as/{mei.pk}/")
    assert "deactivated" in text_of(answer)
    assert "/notes/" not in viewed(answer)
