"""One refresh per grant, in how many processes ever, and no grant lost by one that dies on the way (safety §34)."""

import json
import os
import signal
import subprocess
import sys
from datetime import timedelta
from typing import Any, Self
from urllib.parse import quote

import pytest
from django.db import connection as database
from django.utils import timezone

from connectors.authorization.models import Connection, Credential, RefreshLease
from connectors.authorization.refresh_sweep import refresh_due
from tests.builders.oauth_accounts import make_oauth_connection, make_oauth_connector
from tests.builders.people import make_user
from tests.fakes.token_server import TokenServer

pytestmark = pytest.mark.django_db(transaction=True)
RACES = int(os.environ.get("POCO_RACES", "3"))
CALLERS = 50  # in each of the two processes


def database_url() -> str:
    known = database.settings_dict
    if database.vendor == "sqlite":
        return f"sqlite:///{known['NAME']}"
    person = f"{quote(known['USER'])}:{quote(known['PASSWORD'])}"
    return f"postgres://{person}@{known['HOST']}:{known['PORT']}/{known['NAME']}?application_name=refresher"


def end_sessions() -> None:
    """PostgreSQL notices a little later than we do that a process was killed."""
    if database.vendor == "postgresql":
        with database.cursor() as cursor:
            ending = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'refresher'"
            cursor.execute(ending)


class Refresher:
    """Another process on the same database."""

    def __init__(self, *points: str) -> None:
        self._points = points

    def __enter__(self) -> Self:
        environment = {
            **os.environ,
            "DATABASE_URL": database_url(),
            "DJANGO_SETTINGS_MODULE": "poco.settings",
            "LOG_LEVEL": "ERROR",
        }
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.fakes.refreshing_process", *self._points],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._read() == "ready\n"
        return self

    def __exit__(self, *_exception: object) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()
        end_sessions()

    def ask(self, connection: Connection, *, version: int = 1, callers: int = CALLERS) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(
            json.dumps({"connection": str(connection.pk), "version": version, "callers": callers}) + "\n"
        )
        self.process.stdin.flush()

    def answer(self) -> Any:
        return json.loads(self._read())

    def died(self) -> bool:
        return self.process.wait(30) == -signal.SIGKILL

    def kill(self, _request: object) -> bool:
        """An act of the token server's: end whoever asks."""
        self.process.kill()
        self.process.wait(30)
        return False

    def _read(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()


@pytest.fixture
def server():
    with TokenServer() as running:
        yield running


@pytest.mark.timeout(120 + RACES)
def test_a_hundred_callers_in_two_processes_make_one_request(server):
    server.delay = 0.05
    connector, person = make_oauth_connector(server.url), make_user()
    with Refresher() as one, Refresher() as other:
        for race in range(RACES):
            server.issue(f"race {race}")
            connection = make_oauth_connection(connector, person, alias=f"{race}", refresh_token=f"race {race}")
            one.ask(connection)
            other.ask(connection)

            assert [one.answer(), other.answer()] == [{"renewed": CALLERS}] * 2
            assert server.refreshes == [f"race {race}"]
            credential = Credential.objects.get(connection=connection)
            assert (credential.version, server.families[-1].ended) == (2, False)
            server.refreshes.clear()
            connection.delete()
            server.families.clear()


class Interrupted:
    """A refresh whose holder was killed at one of four points, and what happens to its grant then."""

    def __init__(self, server: TokenServer, point: str) -> None:
        self.server = server
        server.issue("r1")
        self.connection = make_oauth_connection(make_oauth_connector(server.url))
        inside = (point,) if point in {"before_sending", "before_write"} else ()
        with Refresher(*inside) as holder:
            if point == "after_sending":
                server.before = [lambda request: not holder.kill(request)]
            if point == "after_the_answer":
                server.after = [holder.kill]
            holder.ask(self.connection, callers=1)
            assert holder.died()
        self.sent = len(server.refreshes)

    def find_dead(self) -> None:
        """Let the dead holder's lease run out."""
        assert RefreshLease.objects.filter(owner__isnull=False, expires_at__gt=timezone.now()).count() == 1
        assert refresh_due() == 0
        RefreshLease.objects.update(expires_at=timezone.now() - timedelta(seconds=1))

    @property
    def state(self) -> str:
        return Connection.objects.get().state

    @property
    def version(self) -> int:
        return Credential.objects.get().version


@pytest.mark.parametrize(
    ("point", "sent"), [("before_sending", 0), ("after_sending", 1), ("after_the_answer", 1), ("before_write", 1)]
)
def test_one_careful_try_follows_a_dead_holder_and_the_grant_lives(server, point, sent):
    server.leeway = True
    interrupted = Interrupted(server, point)
    assert interrupted.sent == sent
    interrupted.find_dead()

    assert refresh_due() == 1
    assert refresh_due() == 0

    assert server.refreshes == ["r1"] * (sent + 1)
    assert (interrupted.state, interrupted.version) == ("active", 2)
    assert RefreshLease.objects.get().doubtful_since is None


@pytest.mark.parametrize("point", ["after_the_answer", "before_write"])
def test_a_service_that_forgives_no_reuse_is_asked_once_more_and_its_no_is_told_as_what_it_is(server, point):
    interrupted = Interrupted(server, point)
    interrupted.find_dead()

    assert refresh_due() == 1
    assert refresh_due() == 0

    assert server.refreshes == ["r1", "r1"]
    assert interrupted.state == "reauthorization_required"
    assert RefreshLease.objects.get().failure == "refresh_interrupted"


def test_callers_wait_for_a_dead_holders_lease_and_then_one_of_them_tries(server):
    server.leeway = True
    interrupted = Interrupted(server, "before_write")
    with Refresher() as one, Refresher() as other:
        one.ask(interrupted.connection)
        other.ask(interrupted.connection)
        interrupted.find_dead()
        assert [one.answer(), other.answer()] == [{"renewed": CALLERS}] * 2

    assert server.refreshes == ["r1", "r1"]
    assert interrupted.version == 2
