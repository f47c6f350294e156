"""The connectors list and one connector's pages."""

import re
import uuid
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from uuid_utils.compat import uuid7

from connectors.audit.models import CallRecord
from connectors.catalogue.models import PackageIcon
from connectors.catalogue.publication import publish_connector
from tests.builders.connectors import make_connection, make_connector
from tests.builders.people import make_administrator, make_auditor, make_team, make_user

pytestmark = pytest.mark.django_db


def text_of(answer) -> str:
    return re.sub(r"\s+", " ", answer.content.decode())


def make_call(key: str, **fields) -> CallRecord:
    now = timezone.now()
    return CallRecord.objects.create(
        id=uuid7(), connector_key=key, tool="t", decision_id=uuid.uuid4(), started_at=now, ended_at=now,
        elapsed_us=1, arguments_bytes=2, arguments_digest="", outcome="succeeded", **fields
    )  # fmt: skip


def test_an_empty_console_offers_the_example_with_one_press(admin):
    page = text_of(admin.get("/connectors/"))
    assert "No connector is installed yet" in page
    assert 'action="/install/example/"' in page


def test_the_list_tells_status_version_connections_calls_and_last_use(admin):
    connector = make_connector("notes")
    connector.last_used_at = timezone.now() - timedelta(hours=2)
    connector.save()
    make_connection(make_user(), connector)
    make_call("notes")
    make_call("notes")
    row = re.search(r"<tbody.*?</tbody>", text_of(admin.get("/connectors/"))).group(0)
    for told in ("Notebook", "notes", "Published", "Productivity", "1.0.0", ">1</td>", "2 calls in 30 days", "now"):
        assert told in row


def test_filters_live_in_the_address_and_no_match_offers_to_clear_them(admin):
    make_connector("first", published=False)
    make_connector("second")
    page = text_of(admin.get("/connectors/?status=draft"))
    assert "/connectors/first/" in page
    assert "/connectors/second/" not in page
    nothing = text_of(admin.get("/connectors/?q=zebra"))
    assert "Clear filters" in nothing
    assert "Install the example" not in nothing


def test_search_finds_a_connector_by_its_name_in_the_readers_language():
    client = Client()
    client.force_login(make_administrator(language="zh-hans"))
    make_connector("notes")
    assert "/connectors/notes/" in text_of(client.get("/connectors/?q=笔记"))


def test_a_filter_that_means_nothing_narrows_nothing(admin):
    make_connector("notes")
    assert "/connectors/notes/" in text_of(admin.get("/connectors/?status=hovering"))


def test_the_list_pages_by_key(admin):
    for number in range(22):
        make_connector(f"connector{number:03}")
    first = text_of(admin.get("/connectors/"))
    following = re.search(r'rel="next" href="([^"]+)"', first).group(1).replace("&amp;", "&")
    second = text_of(admin.get(f"/connectors/{following}"))
    assert "/connectors/connector000/" in first
    assert "/connectors/connector021/" in second
    assert "/connectors/connector000/" not in second


def count_queries(client, address: str) -> int:
    client.get(address)  # what a process keeps of immutable package versions is read once
    with CaptureQueriesContext(connection) as captured:
        client.get(address)
    return len(captured)


def test_the_list_asks_the_database_as_often_for_thirty_connectors_as_for_one(admin):
    make_connector()
    for_one = count_queries(admin, "/connectors/")
    for _ in range(29):
        make_connection(make_user(), make_connector())
    assert count_queries(admin, "/connectors/") == for_one <= 32


def test_htmx_gets_only_the_results(admin):
    make_connector("notes")
    part = admin.get("/connectors/", headers={"HX-Request": "true", "HX-Target": "results"}).content.decode()
    assert part.strip().startswith('<div id="results"')
    assert "<html" not in part


@pytest.mark.parametrize("page", ["", "configuration/", "tools/", "visibility/", "publish/"])
def test_a_connectors_pages_are_for_administrators(page):
    make_connector("notes")
    for person in (make_user(), make_auditor()):
        client = Client()
        client.force_login(person)
        assert client.get(f"/connectors/notes/{page}").status_code == 403


@pytest.mark.parametrize("page", ["", "configuration/", "tools/", "visibility/", "publish/"])
def test_a_connector_that_is_not_installed_is_not_found(admin, page):
    assert admin.get(f"/connectors/nothing/{page}").status_code == 404


def test_the_overview_says_what_it_is_and_who_may_see_it(admin):
    make_connector("notes", everyone=False, teams=[make_team("Support", make_user())])
    page = text_of(admin.get("/connectors/notes/"))
    assert "Notebook" in page
    assert "Support" in page


def test_tools_are_shown_by_effect_with_confirmation_and_retry(admin):
    make_connector("notes")
    page = text_of(admin.get("/connectors/notes/tools/"))
    assert page.index("effect-read") < page.index("effect-write") < page.index("effect-destructive")
    assert "A person confirms each call" in page
    assert "Safe to repeat" in page


def test_a_connector_is_withdrawn_and_published_again(admin):
    connector = make_connector("notes")
    admin.post("/connectors/notes/disable/")
    connector.refresh_from_db()
    assert connector.status == "disabled"
    admin.post("/connectors/notes/publish/", {"audience": "everyone"})
    connector.refresh_from_db()
    assert connector.status == "published"


def test_withdrawing_twice_is_withdrawing_once(admin):
    make_connector("notes")
    first = admin.post("/connectors/notes/disable/")
    second = admin.post("/connectors/notes/disable/")
    assert first.status_code == second.status_code == 302


def test_withdrawing_a_draft_says_why_not(admin):
    make_connector("notes", published=False)
    answer = admin.post("/connectors/notes/disable/")
    assert answer.status_code == 409
    assert "nothing to withdraw" in text_of(answer)


def test_withdrawing_by_following_a_link_is_not_possible(admin):
    make_connector("notes")
    assert admin.get("/connectors/notes/disable/").status_code == 405


def test_publishing_says_how_many_people_see_it(admin):
    make_connector("notes", published=False)
    team = make_team("Support", make_user(), make_user())
    answer = admin.post("/connectors/notes/publish/", {"audience": "chosen", "teams": [str(team.pk)]}, follow=True)
    assert "2 people may see it" in text_of(answer)


def test_publishing_to_nobody_is_refused(admin):
    connector = make_connector("notes", published=False)
    answer = admin.post("/connectors/notes/publish/", {"audience": "chosen"})
    connector.refresh_from_db()
    assert answer.status_code == 422
    assert connector.status == "draft"


def test_a_user_name_nobody_has_is_named(admin):
    make_connector("notes", published=False)
    answer = admin.post("/connectors/notes/publish/", {"audience": "chosen", "more_people": "zoe, yann"})
    assert "zoe, yann" in text_of(answer)
    assert answer.status_code == 422


def test_the_number_of_people_is_counted_before_anything_is_saved(admin):
    make_connector("notes", everyone=False)
    make_user("zoe")
    answer = admin.get(
        "/connectors/notes/visibility/",
        {"audience": "chosen", "more_people": "zoe", "teams": "no-such-id"},
        headers={"HX-Target": "reach"},
    )
    assert "1 person will see it" in text_of(answer)


def test_people_chosen_by_name_are_kept(admin):
    connector = make_connector("notes")
    zoe = make_user("zoe")
    admin.post("/connectors/notes/visibility/", {"audience": "chosen", "more_people": "zoe"})
    connector.refresh_from_db()
    assert not connector.everyone
    assert list(connector.people.all()) == [zoe]


def test_an_icon_may_run_nothing_and_is_kept_by_the_browser(admin):
    make_connector("notes")
    answer = admin.get(f"/icons/{PackageIcon.objects.get().digest}/")
    assert answer["Content-Type"] == "image/svg+xml"
    assert "sandbox" in answer["Content-Security-Policy"]
    assert "immutable" in answer["Cache-Control"]
    assert admin.get("/icons/unknown/").status_code == 404


def test_an_icon_that_two_packages_share_is_served(admin):
    make_connector()
    make_connector()
    assert admin.get(f"/icons/{PackageIcon.objects.first().digest}/").status_code == 200


def test_a_second_publication_at_the_same_moment_changes_nothing(admin):
    connector = make_connector("notes", published=False)
    publish_connector(connector=connector, actor=None)
    assert admin.post("/connectors/notes/publish/", {"audience": "everyone"}).status_code == 302
