"""The database goes away at the commit, before it or after it: all of the act or nothing of it, and no hand is needed."""

import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection as database

from connectors.catalogue import orphans
from connectors.catalogue.models import Connector, PackageVersion
from connectors.gateway.models import Run
from connectors.lifecycle.removal_steps import advance_removals
from tests.builders.agreement import check_agreement
from tests.builders.database_address import database_url
from tests.builders.versions import ENDPOINT, Workshop, stored_keys
from tests.fakes.cutting_proxy import CuttingProxy, pass_on

ROOT = Path(__file__).parent.parent.parent
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.service]


@pytest.fixture
def proxy():
    if database.vendor != "postgresql":
        pytest.skip("needs PostgreSQL: set DATABASE_URL to a server's address")
    known = database.settings_dict
    with CuttingProxy(known["HOST"], int(known["PORT"])) as proxy:
        yield proxy
    with database.cursor() as cursor:  # what was cut off may not be noticed yet, and would hold the database
        cursor.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


@pytest.fixture
def workshop(tmp_path, monkeypatch):
    """The store of this process and of its children, emptied of what other tests left."""
    for key in stored_keys():
        Path(settings.OBJECT_STORE_DIR, key).unlink()
    monkeypatch.setattr(orphans, "GRACE", timedelta(0))
    return Workshop(tmp_path)


def manage(proxy, *arguments: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "DATABASE_URL": database_url("script", port=proxy.port), "LOG_LEVEL": "ERROR"}
    command = [sys.executable, str(ROOT / "manage.py"), *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=100)


def at_the_commit_of(statement: bytes, verdict: str):
    """Cut the first COMMIT that comes after this statement was seen."""
    seen = []

    def decide(chunk: bytes) -> str:
        if statement in chunk:
            seen.append(chunk)
        if seen and b"COMMIT" in chunk:
            seen.clear()
            return verdict
        return "pass"

    return decide


INSTALL = b'INSERT INTO "connectors_connector" '
VERSION = b'INSERT INTO "connectors_packageversion"'
REMOVAL = b'INSERT INTO "connectors_removaljob"'


@pytest.mark.parametrize(("verdict", "made"), [("drop", False), ("swallow", True)])
def test_an_installation(proxy, workshop, verdict, made):
    archive = workshop.pack()
    proxy.verdict = at_the_commit_of(INSTALL, verdict)
    asked = ("install_package", archive, "--set", f"endpoint={ENDPOINT['endpoint']}")
    assert manage(proxy, *asked).returncode == 1
    assert proxy.cuts == 1
    proxy.verdict = pass_on
    assert Connector.objects.exists() == made
    orphans.sweep_orphans()
    check_agreement()
    again = manage(proxy, *asked)
    assert again.returncode == 0, again.stderr
    assert ("installed already" in again.stdout) == made
    check_agreement()


@pytest.mark.parametrize(("verdict", "made"), [("drop", False), ("swallow", True)])
def test_an_update(proxy, workshop, verdict, made):
    workshop.install()
    archive = workshop.pack("1.1.0")
    proxy.verdict = at_the_commit_of(VERSION, verdict)
    assert manage(proxy, "update_package", archive).returncode == 1
    assert proxy.cuts == 1
    proxy.verdict = pass_on
    assert Connector.objects.get().version.version == ("1.1.0" if made else "1.0.0")
    assert PackageVersion.objects.count() == (2 if made else 1)
    orphans.sweep_orphans()
    check_agreement()
    again = manage(proxy, "update_package", archive)
    assert again.returncode == (1 if made else 0), again.stderr
    assert ("same_version" in again.stderr) == made
    assert Connector.objects.get().version.version == "1.1.0"
    check_agreement()


@pytest.mark.parametrize(("verdict", "made"), [("drop", False), ("swallow", True)])
def test_a_removal(proxy, workshop, verdict, made):
    workshop.install()
    proxy.verdict = at_the_commit_of(REMOVAL, verdict)
    asked = ("remove_connector", "records", "--confirm", "records")
    assert manage(proxy, *asked).returncode == 1
    assert proxy.cuts == 1
    proxy.verdict = pass_on
    assert Connector.objects.get().transition == ("removing" if made else "")
    if not made:
        assert manage(proxy, *asked).returncode == 0
    advance_removals()
    assert not Connector.objects.exists()
    assert not Run.objects.exists()
    assert stored_keys() == []
    check_agreement()
