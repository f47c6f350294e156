"""The shell: who sees which navigation, how the console speaks to whom, and what errors look like."""

import logging
import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.test import Client, override_settings
from django.urls import path, reverse
from django.utils import timezone, translation

from connectors.access.models import User
from connectors.console.navigation import DESTINATIONS
from connectors.console.rendering.moments import tell_absolute, tell_relative
from poco.urls import urlpatterns as project_patterns
from tests.builders.people import make_administrator, make_auditor, make_user

pytestmark = pytest.mark.django_db


def _break(_request):
    raise RuntimeError("the-inner-secret")


urlpatterns = [path("broken/", _break), *project_patterns]
handler500 = "connectors.console.views.error_pages.server_error"


def page_of(person: User, address: str = "/preferences/") -> str:
    client = Client()
    client.force_login(person)
    return client.get(address).content.decode()


def test_every_destination_of_the_sidebar_has_an_address():
    for _title, places in DESTINATIONS:
        for place in places:
            assert reverse(f"console:{place.route}")


def test_a_user_is_not_offered_administration_or_audit():
    page = page_of(make_user())
    assert "/catalogue/" in page
    assert "/people/" not in page
    assert "/audit/calls/" not in page


def test_an_auditor_is_offered_the_logs_and_no_administration():
    page = page_of(make_auditor())
    assert "/audit/calls/" in page
    assert 'href="/people/"' not in page


def test_an_administrator_is_offered_everything():
    page = page_of(make_administrator())
    assert 'href="/connectors/"' in page
    assert 'href="/health/"' in page


def test_the_keys_that_go_somewhere_are_all_different():
    keys = [place.key for _title, places in DESTINATIONS for place in places]
    assert len(keys) == len(set(keys))


def test_a_stranger_is_sent_to_sign_in_and_back():
    answer = Client().get("/connectors/")
    assert answer.status_code == 302
    assert answer["Location"] == "/accounts/login/?next=/connectors/"


def test_the_browser_decides_the_language_before_anybody_signs_in():
    answer = Client().get("/accounts/login/", headers={"accept-language": "zh-CN,zh;q=0.9"})
    assert 'lang="zh-hans"' in answer.content.decode()
    assert answer["Content-Language"] == "zh-hans"


def test_a_language_chosen_signed_out_is_kept_in_this_browser():
    client = Client()
    answer = client.post("/preferences/", {"language": "zh-hans", "next": "/accounts/login/"})
    assert answer["Location"] == "/accounts/login/"
    assert 'lang="zh-hans"' in client.get("/accounts/login/").content.decode()


def test_a_persons_own_language_goes_before_the_browsers():
    client = Client(headers={"accept-language": "en"})
    person = make_user(language="zh-hans")
    client.force_login(person)
    assert 'lang="zh-hans"' in client.get("/preferences/").content.decode()


def test_a_theme_is_drawn_by_the_server_so_that_nothing_flashes():
    client = Client()
    person = make_user()
    client.force_login(person)
    client.post("/preferences/", {"theme": "dark"})
    person.refresh_from_db()
    assert person.theme == "dark"
    assert 'data-theme="dark"' in client.get("/preferences/").content.decode()


def test_one_switch_of_the_header_leaves_the_other_preferences_alone():
    client = Client()
    person = make_user(display_name="Li Lei", time_zone="Asia/Shanghai")
    client.force_login(person)
    client.post("/preferences/", {"theme": "light"})
    person.refresh_from_db()
    assert (person.display_name, person.time_zone) == ("Li Lei", "Asia/Shanghai")


def test_a_time_zone_that_does_not_exist_is_refused_on_its_field():
    client = Client()
    client.force_login(make_user())
    answer = client.post("/preferences/", {"time_zone": "Mars/Olympus", "display_name": ""})
    assert answer.status_code == 422
    assert "data-takes-focus" in answer.content.decode()


def test_preferences_never_send_anybody_to_another_site():
    answer = Client().post("/preferences/", {"theme": "dark", "next": "https://elsewhere.example/"})
    assert answer["Location"] == "/preferences/"


def test_a_person_who_chose_no_zone_reads_times_in_the_browsers():
    client = Client()
    client.force_login(make_administrator())
    client.cookies["poco_time_zone"] = "Asia%2FShanghai"
    assert "(UTC+08:00)" in client.get("/people/").content.decode()


def test_a_damaged_zone_cookie_is_ignored():
    client = Client()
    client.cookies["poco_time_zone"] = "../../etc/passwd"
    assert client.get("/accounts/login/").status_code == 200


def test_an_administrators_screen_is_forbidden_to_a_user():
    client = Client()
    client.force_login(make_user())
    answer = client.get("/connectors/")
    assert answer.status_code == 403
    assert "Your role" in answer.content.decode() or "your role" in answer.content.decode()


def test_what_does_not_exist_is_a_page_of_ours():
    client = Client()
    client.force_login(make_user())
    answer = client.get("/nowhere/")
    assert answer.status_code == 404
    assert "There is nothing here" in answer.content.decode()


@override_settings(ROOT_URLCONF=__name__)
def test_a_broken_page_shows_an_id_that_is_in_the_log_and_no_trace(caplog):
    client = Client(raise_request_exception=False)
    client.force_login(make_user())
    with caplog.at_level(logging.ERROR, logger="connectors.console"):
        page = client.get("/broken/")
    assert page.status_code == 500
    logged = next(record.getMessage() for record in caplog.records if record.name == "connectors.console")
    assert re.search(r"error (\S+) at GET /broken/", logged).group(1) in page.content.decode()
    assert "the-inner-secret" not in page.content.decode()
    assert "Traceback" not in page.content.decode()


def test_pages_carry_no_inline_script_and_no_inline_style():
    page = page_of(make_administrator())
    assert "style=" not in page
    assert "onclick" not in page
    assert "<script>" not in page


def test_the_policy_in_the_header_allows_neither():
    answer = Client().get("/accounts/login/")
    assert "'unsafe-inline'" not in answer["Content-Security-Policy"]
    assert "script-src 'self'" in answer["Content-Security-Policy"]


def test_the_shell_costs_the_same_queries_however_many_roles_somebody_has(django_assert_max_num_queries):
    client = Client()
    client.force_login(make_administrator())
    with django_assert_max_num_queries(7):  # session, person, permissions of both kinds, and three of the bell
        client.get("/preferences/")


def test_relative_times_are_in_the_readers_language_and_absolute_ones_carry_their_offset():
    now = datetime(2026, 3, 29, 1, 30, tzinfo=UTC)
    with translation.override("zh-hans"):
        assert tell_relative(now - timedelta(minutes=3), now=now) == "3分钟前"
    with translation.override("en"):
        assert tell_relative(now - timedelta(minutes=3), now=now) == "3 minutes ago"
    with timezone.override(ZoneInfo("Europe/Berlin")):
        assert tell_absolute(now - timedelta(hours=1)) == "2026-03-29 01:30:00 CET (UTC+01:00)"
        assert tell_absolute(now) == "2026-03-29 03:30:00 CEST (UTC+02:00)"


@pytest.mark.parametrize(
    ("zone", "told"), [("UTC", "2026-03-29 01:30:00 UTC"), ("America/Sao_Paulo", "2026-03-28 22:30:00 UTC-03:00")]
)
def test_a_zone_without_a_name_of_its_own_is_told_once(zone, told):
    with timezone.override(zone):
        assert tell_absolute(datetime(2026, 3, 29, 1, 30, tzinfo=UTC)) == told
