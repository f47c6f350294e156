"""People, teams and health."""

import re
import uuid

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from connectors.access.models import SignInLink, Team, User
from connectors.access.people import role_of
from connectors.ledger.health import check_health
from tests.builders.connectors import make_agent, make_connector
from tests.builders.people import make_administrator, make_auditor, make_team, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin():
    client = Client()
    client.force_login(make_administrator("ada"))
    return client


def text_of(answer) -> str:
    return re.sub(r"\s+", " ", answer.content.decode())


def add_person(client, **fields):
    sent = {"username": "zoe", "role": "user", "form-mark": uuid.uuid4().hex, **fields}
    return client.post("/people/new/", sent)


@pytest.mark.parametrize("page", ["/people/", "/people/new/", "/teams/", "/teams/new/", "/health/"])
def test_people_teams_and_health_are_for_administrators(page):
    for person in (make_user(), make_auditor()):
        client = Client()
        client.force_login(person)
        assert client.get(page).status_code == 403


def test_a_new_person_gets_a_link_that_signs_them_in(admin):
    page = text_of(add_person(admin))
    link = re.search(r"/welcome/[\w-]+/", page).group(0)
    answer = Client().post(link)
    assert answer["Location"] == "/welcome/password/"
    assert role_of(User.objects.get(username="zoe")) == "user"


def test_the_links_page_is_kept_by_no_cache(admin):
    assert add_person(admin)["Cache-Control"] == "no-store"


def test_the_same_form_sent_twice_adds_one_person_and_shows_no_second_link(admin):
    mark = uuid.uuid4().hex
    add_person(admin, **{"form-mark": mark})
    answer = add_person(admin, **{"form-mark": mark})
    assert answer.status_code == 302
    assert User.objects.filter(username="zoe").count() == SignInLink.objects.count() == 1


def test_a_taken_user_name_is_told_on_its_field_and_what_was_typed_stays(admin):
    make_user("zoe")
    answer = add_person(admin, display_name="Zoe Other")
    page = text_of(answer)
    assert answer.status_code == 422
    assert "is taken" in page
    assert 'value="Zoe Other"' in page


def test_a_role_is_changed(admin):
    zoe = make_user("zoe")
    admin.post(f"/people/{zoe.pk}/", {"role": "auditor"})
    assert role_of(User.objects.get(pk=zoe.pk)) == "auditor"


def test_the_last_administrator_stays_one(admin):
    ada = User.objects.get(username="ada")
    answer = admin.post(f"/people/{ada.pk}/", {"role": "user"})
    assert answer.status_code == 422
    assert "last administrator" in text_of(answer)
    assert "last administrator" in text_of(admin.post(f"/people/{ada.pk}/active/", {"active": "no"}, follow=True))


def test_somebody_is_shut_out_and_let_in_again(admin):
    zoe = make_user("zoe")
    admin.post(f"/people/{zoe.pk}/active/", {"active": "no"})
    zoe.refresh_from_db()
    assert not zoe.is_active
    assert "Shut out" in text_of(admin.get(f"/people/{zoe.pk}/"))
    admin.post(f"/people/{zoe.pk}/active/", {"active": "yes"})
    zoe.refresh_from_db()
    assert zoe.is_active


def test_a_link_is_made_for_somebody_who_is_there_already(admin):
    zoe = make_user("zoe")
    page = text_of(admin.post(f"/people/{zoe.pk}/link/", {"form-mark": uuid.uuid4().hex}))
    assert re.search(r"/welcome/[\w-]+/", page)


def test_no_link_is_made_for_somebody_who_is_shut_out(admin):
    zoe = make_user("zoe", is_active=False)
    answer = admin.post(f"/people/{zoe.pk}/link/", {"form-mark": uuid.uuid4().hex})
    assert answer.status_code == 302
    assert not SignInLink.objects.exists()


def test_people_are_found_by_name_and_role(admin):
    make_user("zoe", display_name="Zoe Zebra")
    make_auditor("otto")
    assert "Zoe Zebra" in text_of(admin.get("/people/?q=zebra"))
    only_auditors = text_of(admin.get("/people/?role=auditor"))
    assert "otto" in only_auditors
    assert "zoe" not in only_auditors


def test_the_list_of_people_asks_as_often_for_thirty_as_for_three(admin, django_assert_num_queries):
    make_team("First", make_user(), make_user())
    admin.get("/people/")  # the bell counts, once in half a minute
    with CaptureQueriesContext(connection) as few:
        admin.get("/people/")
    for number in range(27):
        person = make_user()
        make_agent(person)
        make_team(f"Team of {number}", person)
    with django_assert_num_queries(len(few)):
        admin.get("/people/")


def test_somebody_who_does_not_exist_is_not_found(admin):
    assert admin.get("/people/999999/").status_code == 404


def test_a_team_is_made_with_its_members(admin):
    make_user("zoe")
    admin.post("/teams/new/", {"name": "Support", "more_people": "zoe"})
    assert [person.username for person in Team.objects.get(name="Support").members.all()] == ["zoe"]


def test_a_taken_team_name_is_told(admin):
    make_team("Support")
    answer = admin.post("/teams/new/", {"name": "Support"})
    assert answer.status_code == 422
    assert "already" in text_of(answer)


def test_a_team_is_renamed_and_its_members_change(admin):
    zoe, yann = make_user("zoe"), make_user("yann")
    team = make_team("Support", zoe)
    admin.post(f"/teams/{team.pk}/", {"name": "Help", "more_people": "yann"})
    team.refresh_from_db()
    assert team.name == "Help"
    assert list(team.members.all()) == [yann]


def test_a_stranger_in_the_members_is_named_and_nothing_changes(admin):
    team = make_team("Support", make_user("zoe"))
    answer = admin.post(f"/teams/{team.pk}/", {"name": "Help", "more_people": "nobody"})
    assert answer.status_code == 422
    assert "nobody" in text_of(answer)
    team.refresh_from_db()
    assert team.name == "Support"


def test_dissolving_a_team_says_what_it_touches_and_twice_is_once(admin):
    team = make_team("Support")
    make_connector("notes", everyone=False, teams=[team])
    assert "1 connector that is shown" in text_of(admin.get(f"/teams/{team.pk}/"))
    assert admin.post(f"/teams/{team.pk}/delete/").status_code == 302
    assert admin.post(f"/teams/{team.pk}/delete/").status_code == 302
    assert not Team.objects.exists()


def test_health_asks_every_part_and_says_what_rests_on_it(admin):
    page = text_of(admin.get("/health/"))
    for told in ("Database", "Broker", "Worker", "Vault keys", "Object store"):
        assert told in page


def test_health_tells_what_contains_programs_on_this_machine(admin):
    page = text_of(admin.get("/health/"))
    assert "Whole process tree ended" in page
    assert "bubblewrap" in page


def test_without_a_worker_health_says_so_and_how_to_start_one(admin):
    parts = {part.name: part for part in check_health()}
    assert parts["database"].ok
    assert parts["vault"].ok
    assert parts["object_store"].ok
    assert not parts["worker"].ok
    assert "manage.py up" in text_of(admin.get("/health/"))
