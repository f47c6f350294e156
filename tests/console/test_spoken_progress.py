"""What goes on by itself is spoken as it changes, in the region that stays; who comes back late finds how it ended."""

import re
import uuid
from pathlib import Path

import pytest

from connectors.lifecycle.drain import start_drain
from connectors.lifecycle.models import RemovalJob
from tests.builders.connectors import make_agent
from tests.builders.people import make_user
from tests.builders.runs import make_run
from tests.builders.versions import update_change

pytestmark = pytest.mark.django_db


def spoken(answer) -> str:
    found = re.search(r'<div hx-swap-oob="innerHTML:#spoken">(.*?)</div>', answer.text, re.DOTALL)
    return " ".join(found.group(1).split()) if found else ""


def asked(target: str) -> dict[str, str]:
    return {"HX-Request": "true", "HX-Target": target}


@pytest.mark.parametrize(
    ("stage", "failure", "told"),
    [
        ("cleaning", "", "Stored archives and caches are cleaned up. 1 archive left"),
        ("cleaning", "store_unavailable", "The object store does not answer."),
        ("done", "", "Removed"),
    ],
)
def test_each_step_of_a_removal_is_spoken(admin, stage, failure, told):
    job = RemovalJob.objects.create(
        connector_id=uuid.uuid4(), connector_key="records", stage=stage, failure=failure, archives=[{}]
    )
    assert spoken(admin.get(f"/removals/{job.pk}/", headers=asked("progress"))) == told
    assert spoken(admin.get(f"/removals/{job.pk}/")) == ""  # the page itself is read as any page


def test_what_a_drain_waits_for_is_spoken(admin, tmp_path, settings, workshop):
    connector = workshop.install()
    make_run(make_agent(make_user(), "Nightly")[0], connector)
    start_drain(connector=connector, change=update_change(workshop.pack("1.1.0")), actor=None)
    assert spoken(admin.get("/connectors/records/drain/", headers=asked("drain"))).endswith("1 thing uses it")


def test_who_comes_back_to_a_removal_finds_how_it_ended(admin):
    assert admin.get("/connectors/records/remove/").status_code == 404
    job = RemovalJob.objects.create(connector_id=uuid.uuid4(), connector_key="records", stage="done")
    for again in (admin.get, admin.post):
        assert again("/connectors/records/remove/")["Location"] == f"/removals/{job.pk}/"


def test_nothing_is_disabled_while_it_has_the_focus():
    """A browser takes the focus from what is disabled, and gives it to nobody; htmx drops a second press by itself."""
    disabling = [path for path in Path("templates").rglob("*.html") if "hx-disabled-elt" in path.read_text()]
    assert disabling == []
