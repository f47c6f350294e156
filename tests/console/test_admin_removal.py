"""Removal: what it touches, the key typed, refused while in use, then how far it is."""

import re
import uuid

import pytest

from connectors.catalogue.models import Connector
from connectors.lifecycle.models import Drain, RemovalJob
from tests.builders.connectors import make_agent, make_connection, make_grant
from tests.builders.people import make_user
from tests.builders.runs import make_run
from tests.builders.versions import Workshop

pytestmark = pytest.mark.django_db
ADDRESS = "/connectors/records/remove/"


@pytest.fixture
def connector(tmp_path):
    return Workshop(tmp_path).install()


def text_of(answer) -> str:
    return re.sub(r"\s+", " ", answer.content.decode())


def figures(page: str) -> dict[str, str]:
    return dict(re.findall(r"<dt>([^<]*)</dt> ?<dd>([^<]*)</dd>", page))


def make_job(stage: str, **fields) -> str:
    job = RemovalJob.objects.create(
        connector_id=uuid.uuid4(), connector_key="records", connector_name="Records", stage=stage, **fields
    )
    return f"/removals/{job.pk}/"


def test_it_says_what_it_touches(admin, connector):
    for _ in range(2):
        person = make_user()
        agent, _token = make_agent(person)
        make_grant(agent, make_connection(person, connector))
    make_run(agent, connector)
    assert figures(text_of(admin.get(ADDRESS))) == {
        "Connections": "2",
        "People who have them": "2",
        "Agents that may use them": "2",
        "Runs under way": "1",
        "Package versions": "1",
    }


@pytest.mark.parametrize("typed", ["", "record", "Records"])
def test_another_text_than_the_key_removes_nothing_and_says_so_on_its_field(admin, connector, typed):
    answer = admin.post(ADDRESS, {"typed_key": typed})
    page = text_of(answer)
    assert answer.status_code == 422
    assert 'href="#field-typed_key"' in page
    assert Connector.objects.get().transition == ""


def test_the_typed_key_takes_it_out_of_use_and_leads_to_its_progress(admin, connector):
    answer = admin.post(ADDRESS, {"typed_key": "records"})
    job = RemovalJob.objects.get()
    assert answer["Location"] == f"/removals/{job.pk}/"
    assert Connector.objects.get().status == "disabled"
    page = text_of(admin.get(answer["Location"]))
    assert "Removal of name (en)" in page
    assert "· Ada" in page


def test_a_second_click_leads_to_the_same_progress(admin, connector):
    first = admin.post(ADDRESS, {"typed_key": "records"})
    assert admin.post(ADDRESS, {"typed_key": "records"})["Location"] == first["Location"]
    assert RemovalJob.objects.count() == 1


def test_what_is_being_removed_says_so_on_its_own_pages(admin, connector):
    address = admin.post(ADDRESS, {"typed_key": "records"})["Location"]
    page = text_of(admin.get("/connectors/records/"))
    assert "Being removed" in page
    assert f'href="{address}"' in page
    for act in ("Publish…", "Update…", "Remove…", "Withdrawn"):
        assert act not in page


def test_while_it_is_used_it_lists_by_whom_and_offers_to_drain(admin, connector):
    make_run(make_agent(make_user(display_name="Mei Chen"), "Nightly")[0], connector)
    page = text_of(admin.get(ADDRESS))
    for told in ("Mei Chen", "Nightly", "Drain and remove"):
        assert told in page
    assert admin.post(ADDRESS, {"typed_key": "records"}).status_code == 409
    assert admin.post(ADDRESS, {"typed_key": "records", "drain": "yes"})["Location"] == "/connectors/records/"
    assert Drain.objects.get().kind == "removal"


def test_draining_asks_for_the_key_as_well(admin, connector):
    make_run(make_agent(make_user())[0], connector)
    assert admin.post(ADDRESS, {"typed_key": "no", "drain": "yes"}).status_code == 422
    assert not Drain.objects.exists()


def test_the_steps_tell_what_is_done_under_way_and_to_come(admin):
    page = text_of(admin.get(make_job("cleaning", archives=[{}, {}])))
    assert page.count("stage-ok") == 3
    assert "2 archives left" in page
    assert "stage-doing" in page
    assert "hx-get" in page


def test_the_revocations_that_are_left_are_counted(admin):
    assert "0 revocations left" in text_of(admin.get(make_job("revoking")))


def test_a_step_that_fails_says_so_with_the_way_to_health(admin):
    page = text_of(admin.get(make_job("cleaning", failure="store_unavailable", attempts=3)))
    assert "The object store does not answer." in page
    assert "3 attempts failed." in page
    assert 'href="/health/"' in page


def test_its_end_is_told_and_nobody_asks_again(admin):
    page = text_of(admin.get(make_job("done")))
    assert "Nothing of it is left but what the logs tell." in page
    assert "hx-get" not in page


def test_asked_again_while_nothing_has_happened_it_answers_nothing(admin):
    address = make_job("cleaning", archives=[{}])
    part = {"HX-Target": "progress"}
    mark = re.search(r"\?seen=(\w+)", text_of(admin.get(address))).group(1)
    assert admin.get(f"{address}?seen={mark}", headers=part).status_code == 204
    RemovalJob.objects.update(archives=[])
    answer = admin.get(f"{address}?seen={mark}", headers=part)
    assert answer.status_code == 200
    assert "<html" not in text_of(answer)


def test_a_removal_that_is_not_there_is_not_found(admin):
    assert admin.get(f"/removals/{uuid.uuid4()}/").status_code == 404
