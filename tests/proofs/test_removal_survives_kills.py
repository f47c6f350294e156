"""The worker is killed in the middle of a removal: the next one ends it, and nothing is left (handbook §11)."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Self

import pytest
from django.conf import settings

from connectors.audit.models import AdminEvent
from connectors.authorization.models import Connection, RevocationJob
from connectors.catalogue.models import Connector, PackageVersion
from connectors.lifecycle.models import RemovalJob
from connectors.lifecycle.removal import begin_removal
from connectors.lifecycle.removal_steps import BATCH
from tests.builders.database_address import database_url, end_sessions
from tests.builders.oauth_accounts import make_oauth_connection, make_oauth_manifest
from tests.builders.people import make_user
from tests.builders.versions import Workshop, stored_keys
from tests.fakes.token_server import TokenServer

pytestmark = pytest.mark.django_db(transaction=True)
TEXTS = '{"name": "Records", "description": "…", "endpoint": "Address", "token": "Token"}'
ACCOUNTS = BATCH * 2 + 5


class Worker:
    """Another process on the same database and store."""

    def __init__(self, *points: str) -> None:
        self._points = points

    def __enter__(self) -> Self:
        environment = {
            **os.environ,
            "DATABASE_URL": database_url("remover"),
            "DJANGO_SETTINGS_MODULE": "poco.settings",
            "LOG_LEVEL": "ERROR",
        }
        command = [sys.executable, "-m", "tests.fakes.removing_process", *self._points]
        self.process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._read() == "ready\n"
        return self

    def __exit__(self, *_exception: object) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(60)
        self.process.stdout.close()
        end_sessions("remover")

    def advance(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def ended(self) -> int:
        return int(self._read())

    def died(self) -> bool:
        return self.process.wait(60) == -signal.SIGKILL

    def kill(self, _request: object) -> bool:
        self.process.kill()
        self.process.wait(30)
        return False

    def _read(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()


@pytest.fixture
def server():
    with TokenServer() as running:
        running.issue("r1")
        yield running


@pytest.fixture
def removed(server, tmp_path, settings):
    """A connector of two versions and many accounts, one of which has to be revoked; its removal has begun."""
    settings.CELERY_TASK_ALWAYS_EAGER = False
    settings.CELERY_BROKER_URL = "memory://"
    files = {"locales/en.json": TEXTS, "locales/zh-CN.json": TEXTS}
    values = {"endpoint": server.url, "client_id": "poco", "client_secret": "s"}
    document = make_oauth_manifest("records", server.url)
    connector = Workshop(tmp_path).install(values=values, document=document, files=files)
    person = make_user()
    Connection.objects.bulk_create(
        Connection(
            person=person,
            connector=connector,
            alias=str(number),
            authorization_fingerprint=connector.authorization_fingerprint,
        )
        for number in range(ACCOUNTS - 1)
    )
    make_oauth_connection(connector, person, alias="last")
    return connector


def due_now() -> None:
    RemovalJob.objects.filter(finished_at=None).update(due_at="2000-01-01T00:00Z")
    RevocationJob.objects.update(due_at="2000-01-01T00:00Z")


def finish_with_another_worker() -> None:
    with Worker() as worker:
        for _ in range(3):
            due_now()
            worker.advance()
            worker.ended()


def check_nothing_is_left(server: TokenServer) -> None:
    for table in (Connector, PackageVersion, Connection, RevocationJob):
        assert not table.objects.exists(), table
    assert [key for key in stored_keys() if "/records/" in key] == []
    assert not any(Path(settings.PACKAGE_CACHE_DIR, "records").glob("[0-9a-f]*/"))
    assert RemovalJob.objects.get().stage == "done"
    assert set(server.revoked) == {"r1", "access-0"}
    acts = ("connector_installed", "connector_removed", "connector_removal_finished")
    assert [AdminEvent.objects.filter(act=act).count() for act in acts] == [1, 1, 1]


@pytest.mark.parametrize("point", ["letting_go", "rows_gone", "cleaning"])
def test_a_worker_killed_at_a_step_leaves_the_rest_to_the_next(removed, server, point):
    begin_removal(removed, None)
    assert 0 < Connection.objects.count() < ACCOUNTS
    with Worker(point) as worker:
        for _ in range(4):
            due_now()
            worker.advance()
            if not worker._read():
                break
        assert worker.died()
    finish_with_another_worker()
    check_nothing_is_left(server)


def test_a_worker_killed_while_the_service_is_asked_revokes_again(removed, server):
    begin_removal(removed, None)
    with Worker() as worker:
        server.before = [lambda request: not worker.kill(request)]
        for _ in range(3):
            due_now()
            worker.advance()
            if not worker._read():
                break
        assert worker.died()
    assert PackageVersion.objects.exists()
    finish_with_another_worker()
    check_nothing_is_left(server)
