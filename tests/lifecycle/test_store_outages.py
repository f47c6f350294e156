"""The object store fails before, during and after the put: nothing is half done, and the next try is enough (§39)."""

from urllib.parse import urlsplit

import pytest

from connectors.catalogue.models import Connector, PackageVersion
from connectors.lifecycle.drain import start_drain
from connectors.lifecycle.drain_finishing import finish_drains
from connectors.lifecycle.models import Drain, RemovalJob
from connectors.lifecycle.removal import remove_connector
from connectors.lifecycle.removal_steps import advance_removals
from connectors.packages.storage import StoreUnavailable
from tests.builders.agreement import check_agreement
from tests.builders.versions import stored_keys, update, update_change
from tests.fakes.cutting_proxy import CuttingProxy, pass_on
from tests.fakes.s3_server import running_s3_server

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def s3_url():
    with running_s3_server() as url:
        yield url


@pytest.fixture
def proxy(s3_url, settings):
    address = urlsplit(s3_url)
    with CuttingProxy(address.hostname, address.port) as proxy:
        settings.S3_BUCKET = "packages"
        settings.S3_ENDPOINT_URL = f"http://127.0.0.1:{proxy.port}"
        settings.S3_REGION, settings.S3_ACCESS_KEY_ID, settings.S3_SECRET_ACCESS_KEY = "us-east-1", "id", "secret"
        yield proxy


def down(proxy):
    proxy.down = True


def cut_during_the_put(proxy):
    proxy.verdict = lambda chunk: "drop" if b"PK\x03\x04" in chunk else "pass"


def cut_after_the_put(proxy):
    proxy.verdict = lambda chunk: "swallow" if b"PK\x03\x04" in chunk else "pass"


def heal(proxy):
    proxy.down, proxy.verdict = False, pass_on


@pytest.mark.parametrize("fault", [down, cut_during_the_put, cut_after_the_put])
def test_an_installation_and_an_update_leave_nothing_and_work_again(proxy, workshop, fault):
    fault(proxy)
    with pytest.raises(StoreUnavailable):
        workshop.install()
    heal(proxy)
    assert not PackageVersion.objects.exists()
    assert stored_keys() == []

    connector = workshop.install()
    archive = workshop.pack("1.1.0")
    fault(proxy)
    with pytest.raises(StoreUnavailable):
        update(connector, archive)
    heal(proxy)
    assert Connector.objects.get().version.version == "1.0.0"
    check_agreement()
    assert update(connector, archive).version.version == "1.1.0"
    check_agreement()
    remove_connector(connector=connector, typed_key="records", actor=None)
    assert advance_removals() == 1
    assert stored_keys() == []


def test_a_put_whose_answer_was_lost_once_is_no_failure(proxy, workshop):
    lost = []

    def verdict(chunk):
        if b"PK\x03\x04" not in chunk or lost:
            return "pass"
        lost.append(chunk)
        return "swallow"

    proxy.verdict = verdict
    connector = workshop.install()
    assert lost
    check_agreement()
    remove_connector(connector=connector, typed_key="records", actor=None)
    assert advance_removals() == 1


def test_a_drained_update_and_a_removal_wait_for_the_store(proxy, workshop):
    connector = workshop.install()
    start = update_change(workshop.pack("1.1.0"))
    start_drain(connector=connector, change=start, actor=None)
    down(proxy)
    assert finish_drains() == 0
    assert (Drain.objects.get().state, Drain.objects.get().failure) == ("waiting", "store_unavailable")
    heal(proxy)
    Drain.objects.update(due_at="2000-01-01T00:00Z")
    assert finish_drains() == 1

    remove_connector(connector=connector, typed_key="records", actor=None)
    down(proxy)
    assert advance_removals() == 0
    assert RemovalJob.objects.get().failure == "store_unavailable"
    heal(proxy)
    RemovalJob.objects.update(due_at="2000-01-01T00:00Z")
    assert advance_removals() == 1
    assert stored_keys() == []
