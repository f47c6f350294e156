"""Every act of the catalogue and its life cycle, with secrets wherever one can be typed: no event, log, row or page has one."""

import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from connectors.audit.chain import verify_chain
from connectors.audit.models import AdminEvent
from connectors.authorization.models import RevocationJob
from connectors.catalogue import category_editing, ordering
from connectors.catalogue.bulk import categorize_connectors, disable_connectors, publish_connectors
from connectors.catalogue.capture import set_capture
from connectors.catalogue.categories import ensure_category
from connectors.catalogue.installation import install_package
from connectors.catalogue.models import Connector, PackageVersion
from connectors.catalogue.visibility import set_visibility
from connectors.gateway.models import Run
from connectors.lifecycle.abandoning import abandon_revocations
from connectors.lifecycle.drain import RollbackChange, cancel_drain, start_drain
from connectors.lifecycle.drain_finishing import finish_drains
from connectors.lifecycle.models import RemovalJob
from connectors.lifecycle.reconfiguration import reconfigure_connector
from connectors.lifecycle.removal import remove_connector
from connectors.lifecycle.removal_steps import advance_removals
from connectors.lifecycle.rollback import roll_back
from connectors.lifecycle.run_ending import end_runs
from connectors.lifecycle.version_change import Typed
from connectors.packages.storage import get_object_store
from tests.builders.connectors import make_agent
from tests.builders.packages import ENDPOINT_FIELD
from tests.builders.people import make_administrator, make_user
from tests.builders.runs import make_run
from tests.builders.versions import ENDPOINT, digest, update, update_change

pytestmark = pytest.mark.django_db
CANARY = "canary-5e1f-"
LABEL = {"label_key": "configuration.endpoint.label"}
PAGES = ("", "configuration/", "versions/", "visibility/", "tools/", "ledger/", "remove/")
RECORDED = re.compile(
    r'(?:record_connector_event|_record|VersionChange|_set_status)\([^"\n]*"([a-z_]+)"|act="([a-z_]+)"'
)


def fields(*keys: str):
    return {"fields": [ENDPOINT_FIELD, *({"key": key, "type": "secret", **LABEL} for key in keys)]}


def secret(number: int) -> str:
    return f"{CANARY}{number}"


def all_acts() -> set[str]:
    sources = [
        path.read_text() for room in ("catalogue", "lifecycle") for path in Path("connectors", room).glob("*.py")
    ]
    return {act for source in sources for found in RECORDED.findall(source) for act in found if "_" in act}


@pytest.fixture
def ada():
    return make_administrator()


@pytest.fixture
def look(ada):
    """Open every page that tells of the connector, as it is now; return them all so far."""
    client = Client()
    client.force_login(ada)
    seen: list[str] = []

    def run() -> str:
        seen.extend(client.get(f"/connectors/records/{page}").text for page in PAGES)
        seen.extend(client.get(page).text for page in ("/audit/events/", "/health/", "/connectors/", "/categories/"))
        return "".join(seen)

    return run


def everything_stored() -> str:
    with connection.cursor() as cursor:
        tables = connection.introspection.table_names(cursor)
        rows = []
        for table in tables:
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
            rows += [bytes(v) if isinstance(v, memoryview) else v for row in cursor.fetchall() for v in row]
    return str(rows)


def occupied(connector):
    return make_run(make_agent(make_user())[0], connector)


def install_and_arrange(workshop, ada):
    archive = workshop.pack(configuration={"fields": [ENDPOINT_FIELD, {"key": "token", "type": "text", **LABEL}]})
    values = ENDPOINT | {"token": "public-so-far"}
    connector = install_package(archive=archive, expected_sha256=digest(archive), raw_configuration=values, actor=ada)
    workshop.install(key="other")
    other = ensure_category("elsewhere")
    publish_connectors(keys=["records"], actor=ada)
    disable_connectors(keys=["records"], actor=ada)
    categorize_connectors(keys=["records"], category=other, actor=ada)
    categorize_connectors(keys=["records"], category=None, actor=ada)
    set_visibility(connector=connector, everyone=False, teams=[], people=[ada], actor=ada)
    set_capture(connector=connector, days=1, actor=ada)
    category_editing.rename_category(category=other, names={"en": "Else"}, icon="", actor=ada)
    ordering.move_connector(connector=Connector.objects.get(key="records"), to=ordering.Spot.FIRST, actor=ada)
    ordering.move_category(category=other, to=ordering.Spot.LAST, actor=ada)
    category_editing.merge_categories(source=other, target=ensure_category("productivity"), actor=ada)
    category_editing.separate_category(category=other, actor=ada)
    return connector


def change_versions(workshop, ada, connector):
    update(connector, workshop.pack("1.1.0", configuration=fields("token", "key")), actor=ada,
           raw_configuration={"token": secret(1), "key": secret(2)})  # fmt: skip
    connector.refresh_from_db()
    reconfigure_connector(
        connector=connector, raw=ENDPOINT | {"token": secret(3)}, cleared=["key"], actor=ada,
        expected_revision=connector.configuration_revision,
    )  # fmt: skip
    first = PackageVersion.objects.get(key="records", version="1.0.0")
    connector.refresh_from_db()
    roll_back(connector=connector, version=first, typed=Typed({"token": "public"}), actor=ada)
    connector.refresh_from_db()


def drain_in_every_way(workshop, ada, connector):
    archive = workshop.pack("1.2.0", configuration=fields("token"))
    change = update_change(archive, raw_configuration={"token": secret(4)})
    run = occupied(connector)
    start_drain(connector=connector, change=change, actor=ada)
    cancel_drain(connector=connector, actor=ada)
    start_drain(connector=connector, change=change, actor=ada)
    get_object_store().delete(connector.drain.object_key)
    end_runs(connector=connector, run_id=run.pk, actor=ada)
    Run.objects.update(stopped_at=timezone.now() - timedelta(hours=1))  # its last calls have ended
    finish_drains()
    connector.refresh_from_db()
    first = PackageVersion.objects.exclude(pk=connector.version_id).filter(key="records").first()
    start_drain(connector=connector, change=RollbackChange(first, Typed({"token": secret(5)})), actor=ada)
    finish_drains()
    connector.refresh_from_db()


def remove(ada, connector):
    version = PackageVersion.objects.get(pk=connector.version_id)
    job = remove_connector(connector=connector, typed_key="records", actor=ada)
    waiting = RevocationJob.objects.create(version=version, connector_key="records", gives_up_at=timezone.now())
    advance_removals()
    abandon_revocations(removal=RemovalJob.objects.get(pk=job.pk), actor=ada)
    waiting.delete()
    RemovalJob.objects.update(due_at=timezone.now() - timedelta(minutes=1))
    advance_removals()


def test_no_event_log_row_or_page_of_any_act_holds_a_secret(workshop, ada, look, caplog):
    caplog.set_level("DEBUG")
    connector = install_and_arrange(workshop, ada)
    look()
    change_versions(workshop, ada, connector)
    look()
    drain_in_every_way(workshop, ada, connector)
    look()
    assert Run.objects.exists()
    assert connector.secrets.exists()
    remove(ada, connector)

    events = AdminEvent.objects.all()
    assert all_acts() - {event.act for event in events} == set()
    assert [event.act for event in events if not event.before and not event.after] == []
    for told in (str(list(events.values())), caplog.text, everything_stored(), look()):
        assert CANARY not in told
    became_secret = [event.before for event in events if event.after.get("secrets", {}).get("token") == "set"]
    assert "public-so-far" not in str(became_secret)
    assert verify_chain().ok
