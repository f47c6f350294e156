"""One-time sign-in, and signing in by password."""

from datetime import timedelta

import pytest
from django.test import Client

from connectors.access.sign_in import make_sign_in_link
from tests.builders.people import make_user

pytestmark = pytest.mark.django_db

PASSWORD = "seven green bottles"


def link_for(person) -> str:
    return f"/welcome/{make_sign_in_link(user=person, lifetime=timedelta(hours=1))}/"


def test_opening_the_link_does_not_use_it_up():
    link = link_for(make_user())
    assert Client().get(link).status_code == 200
    assert Client().head(link).status_code == 200
    assert Client().post(link).status_code == 302


def test_the_button_signs_in_and_asks_for_a_password():
    client = Client()
    person = make_user()
    answer = client.post(link_for(person))
    assert answer["Location"] == "/welcome/password/"
    assert client.session["_auth_user_id"] == str(person.pk)


def test_the_link_works_once():
    link = link_for(make_user())
    Client().post(link)
    answer = Client().post(link)
    assert answer.status_code == 403
    assert "no longer good" in answer.content.decode()


def test_a_link_nobody_made_is_refused_like_a_used_one():
    answer = Client().post("/welcome/made-up/")
    assert answer.status_code == 403


def test_the_link_is_kept_by_no_cache():
    assert "no-store" in Client().get(link_for(make_user()))["Cache-Control"]


def test_a_password_is_chosen_without_an_old_one_and_keeps_the_session():
    client = Client()
    person = make_user()
    client.post(link_for(person))
    answer = client.post("/welcome/password/", {"new_password1": PASSWORD, "new_password2": PASSWORD})
    assert answer.status_code == 302
    person.refresh_from_db()
    assert person.check_password(PASSWORD)
    assert client.get("/preferences/").status_code == 200


def test_a_weak_password_is_refused_and_not_shown_again():
    client = Client()
    client.post(link_for(make_user()))
    answer = client.post("/welcome/password/", {"new_password1": "short", "new_password2": "short"})
    assert answer.status_code == 422
    assert 'value="short"' not in answer.content.decode()


def test_somebody_with_a_password_cannot_set_another_without_the_old_one():
    client = Client()
    client.force_login(make_user(password=PASSWORD))
    answer = client.post("/welcome/password/", {"new_password1": "x" * 12, "new_password2": "x" * 12})
    assert answer["Location"] == "/"


def test_a_person_signs_in_with_their_password():
    client = Client()
    make_user("lili", password=PASSWORD)
    answer = client.post("/accounts/login/", {"login": "lili", "password": PASSWORD})
    assert answer.status_code == 302
    assert client.get("/preferences/").status_code == 200


def test_a_wrong_password_is_refused_without_saying_which_part_was_wrong():
    make_user("lili", password=PASSWORD)
    wrong_password = Client().post("/accounts/login/", {"login": "lili", "password": "wrong"})
    nobody = Client().post("/accounts/login/", {"login": "nobody", "password": "wrong"})
    assert wrong_password.status_code == nobody.status_code == 200
    assert "data-takes-focus" in wrong_password.content.decode()
    assert 'value="wrong"' not in wrong_password.content.decode()


def test_strangers_cannot_make_an_account():
    page = Client().get("/accounts/signup/").content.decode()
    assert "password1" not in page


def test_signing_out_needs_a_press_and_then_pages_are_closed():
    client = Client()
    client.force_login(make_user())
    assert client.get("/accounts/logout/").status_code == 200
    assert client.get("/preferences/").status_code == 200
    client.post("/accounts/logout/")
    assert client.get("/preferences/").status_code == 302
