"""A change that waits: told on every page of the connector, asked again without noise, cancelled, and its end told."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from connectors.catalogue.models import Connector
from connectors.gateway.models import Run
from connectors.lifecycle.drain import RemovalChange, start_drain
from connectors.lifecycle.models import Drain
from connectors.lifecycle.tasks import finish_drains
from tests.builders.connectors import make_agent, make_connector
from tests.builders.people import make_user
from tests.builders.runs import make_run
from tests.builders.versions import update_change

pytestmark = pytest.mark.django_db
PART = {"HX-Target": "drain"}


@pytest.fixture
def draining(workshop, ada):
    """A connector whose update waits for a run of Mei's agent."""
    connector = workshop.install()
    make_run(make_agent(make_user(display_name="Mei Chen"), "Nightly")[0], connector)
    start_drain(connector=connector, change=update_change(workshop.pack("1.1.0")), actor=ada)
    return Connector.objects.get()


def text_of(answer) -> str:
    return re.sub(r"\s+", " ", answer.content.decode())


def seen(page: str) -> str:
    return re.search(r"\?seen=(\w+)", page).group(1)


def let_runs_end() -> None:
    Run.objects.update(idle_ends_at=timezone.now() - timedelta(seconds=1))


@pytest.mark.parametrize("tab", ["", "configuration/", "tools/", "visibility/", "versions/"])
def test_every_tab_tells_of_it_with_what_it_waits_for(admin, draining, tab):
    page = text_of(admin.get(f"/connectors/records/{tab}"))
    for told in ("Draining: the update to 1.1.0", "· Ada", "Mei Chen", "Nightly", "Cancel the drain"):
        assert told in page


def test_it_names_the_runs_with_their_last_call_and_an_act_that_ends_them(admin, draining):
    run = Run.objects.get()
    page = text_of(admin.get("/connectors/records/"))
    assert "last call" in page
    assert f'action="/connectors/records/drain/runs/{run.pk}/end/"' in page
    assert "Runs are waited for however long they last" in page
    assert "This run was ended, because a connector it uses is about to be changed" in page

    told = text_of(admin.post(f"/connectors/records/drain/runs/{run.pk}/end/", follow=True))
    assert "1 run was ended. What it had begun comes to its end within two minutes." in told
    assert "Run that was ended; its last calls may still be on their way" in told
    assert f"/drain/runs/{run.pk}/end/" not in told
    assert Run.objects.get().stopped_at is not None


def test_the_act_that_ends_a_run_is_the_pages_own(ada, draining):
    client = Client(enforce_csrf_checks=True)
    client.force_login(ada)
    address = f"/connectors/records/drain/runs/{Run.objects.get().pk}/end/"
    page = text_of(client.get("/connectors/records/"))
    token = re.search(rf'action="{address}">.*?name="csrfmiddlewaretoken" value="(\w+)"', page).group(1)
    assert client.post(address).status_code == 403
    assert client.post(address, {"csrfmiddlewaretoken": token}).status_code == 302
    assert Run.objects.get().stopped_at is not None


def test_all_of_them_can_be_ended_at_once(admin, draining):
    make_run(make_agent(make_user(display_name="Noor"))[0], draining)
    assert "End all 2 runs" in text_of(admin.get("/connectors/records/"))
    assert "2 runs were ended." in text_of(admin.post("/connectors/records/drain/runs/end/", follow=True))
    assert not Run.objects.filter(stopped_at=None).exists()


def test_ending_one_that_has_ended_meanwhile_says_so(admin, draining):
    let_runs_end()
    address = f"/connectors/records/drain/runs/{Run.objects.get().pk}/end/"
    assert "It had ended by itself." in text_of(admin.post(address, follow=True))
    finish_drains()
    assert "There is no drain any more" in text_of(admin.post(address, follow=True))


def test_runs_of_other_connectors_are_not_ended_here(admin, draining):
    other = make_run(make_agent(make_user())[0], make_connector("other"))
    admin.post(f"/connectors/records/drain/runs/{other.pk}/end/")
    admin.post("/connectors/records/drain/runs/end/")
    other.refresh_from_db()
    assert other.ended_at is None


@pytest.mark.parametrize(("chosen", "minutes"), [("60", 60), ("", None), ("7", None), ("١٥", None)])
def test_whoever_lets_it_drain_chooses_what_becomes_of_runs_that_stay_open(admin, workshop, chosen, minutes):
    make_run(make_agent(make_user())[0], workshop.install())
    assert "are ended after a day" in text_of(admin.get("/connectors/records/remove/"))
    admin.post("/connectors/records/remove/", {"typed_key": "records", "drain": "yes", "end-runs-after": chosen})
    drain = Drain.objects.get()
    if minutes is None:
        assert drain.runs_end_at is None
        return
    assert drain.runs_end_at - drain.started_at == pytest.approx(timedelta(minutes=minutes), abs=timedelta(seconds=5))
    assert "Runs that do not end by themselves are ended at" in text_of(admin.get("/connectors/records/"))


def test_it_says_what_agents_see_meanwhile(admin, draining):
    page = text_of(admin.get("/connectors/records/"))
    assert "runs that have begun go on as before" in page
    assert "takes no new conversations until that is done" in page


def test_nothing_else_is_offered_meanwhile(admin, draining):
    page = text_of(admin.get("/connectors/records/"))
    assert "Update…" not in page
    assert "Remove…" not in page


def test_asked_again_while_nothing_has_happened_it_answers_nothing(admin, draining):
    mark = seen(text_of(admin.get("/connectors/records/")))
    answer = admin.get(f"/connectors/records/drain/?seen={mark}", headers=PART)
    assert (answer.status_code, answer.content) == (204, b"")


def test_asked_again_after_something_has_happened_it_answers_the_part_alone(admin, draining):
    mark = seen(text_of(admin.get("/connectors/records/")))
    make_run(make_agent(make_user(display_name="Noor"))[0], draining)
    page = text_of(admin.get(f"/connectors/records/drain/?seen={mark}", headers=PART))
    assert "Noor" in page
    assert "<html" not in page
    assert seen(page) != mark


def test_without_a_script_its_address_is_the_connectors_page(admin, draining):
    assert admin.get("/connectors/records/drain/")["Location"] == "/connectors/records/"


def test_once_nothing_uses_it_the_change_is_made_and_told_and_nobody_asks_again(admin, draining):
    let_runs_end()
    finish_drains()
    page = text_of(admin.get("/connectors/records/drain/", headers=PART))
    assert "Updated to 1.1.0 by itself, once nothing used it" in page
    assert "hx-get" not in page
    assert Connector.objects.select_related("version").get().version.version == "1.1.0"


def test_cancelling_takes_new_runs_again_and_changes_nothing(admin, draining):
    answer = admin.post("/connectors/records/drain/cancel/", follow=True)
    page = text_of(answer)
    assert "Cancelled. Nothing was changed, and it takes new runs again." in page
    assert "Draining:" not in page
    assert Drain.objects.get().state == "cancelled"
    assert Connector.objects.select_related("version").get().version.version == "1.0.0"


def test_cancelling_what_has_ended_meanwhile_says_so(admin, draining):
    let_runs_end()
    finish_drains()
    page = text_of(admin.post("/connectors/records/drain/cancel/", follow=True))
    assert "There is no drain any more" in page
    assert "Updated to 1.1.0 by itself" in page


def test_a_drained_change_that_failed_says_why_and_offers_the_next_act(admin, draining):
    Drain.objects.update(
        state=Drain.State.FAILED,
        ended_at=timezone.now(),
        failure="version_not_higher",
        failure_parameters={"key": "records", "version": "1.1.0", "installed": "1.2.0"},
    )
    Connector.objects.update(transition="")
    page = text_of(admin.get("/connectors/records/"))
    assert "The update to 1.1.0 was not made" in page
    assert "This is version 1.1.0 of records, and version 1.2.0 is in use." in page
    assert 'href="/connectors/records/update/"' in page


def test_a_drained_removal_leads_to_its_progress_once_the_connector_is_gone(admin, workshop, ada):
    connector = workshop.install()
    make_run(make_agent(make_user())[0], connector)
    start_drain(connector=connector, change=RemovalChange("records"), actor=ada)
    let_runs_end()
    finish_drains()
    Connector.objects.all().delete()
    answer = admin.get("/connectors/records/drain/", headers=PART)
    assert answer["HX-Redirect"].startswith("/removals/")


def test_a_second_change_is_refused_while_one_waits(admin, draining, workshop):
    archive = workshop.pack("1.2.0")
    with archive.open("rb") as file:
        address = admin.post("/connectors/records/update/", {"package": file})["Location"]
    answer = admin.get(address)
    assert answer.status_code == 409
    assert "records is being drained for a change" in text_of(answer)


def test_the_state_asks_as_often_for_twelve_runs_as_for_two(admin, draining):
    def count() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert admin.get("/connectors/records/drain/", headers=PART).status_code == 200
        return len(queries)

    count()
    few = count()
    for _ in range(11):
        make_run(make_agent(make_user())[0], draining)
    assert count() <= few


def test_the_overview_is_shown_anew_when_it_ends_and_other_pages_keep_what_was_typed(admin, draining):
    let_runs_end()
    finish_drains()

    def ask_from(page: str):
        shown = {"HX-Current-URL": f"http://testserver/connectors/records/{page}"}
        return admin.get("/connectors/records/drain/", headers=PART | shown)

    assert ask_from("")["HX-Refresh"] == "true"
    assert "Show it as it is now" in text_of(ask_from("visibility/"))


def test_an_end_is_told_on_the_overview_alone(admin, draining):
    let_runs_end()
    finish_drains()
    page = text_of(admin.get("/connectors/records/"))
    assert "Updated to 1.1.0 by itself" in page
    assert 'href="/connectors/records/?since=1.0.0"' in page
    assert "Updated to 1.1.0 by itself" not in text_of(admin.get("/connectors/records/configuration/"))
