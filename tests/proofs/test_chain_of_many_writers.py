"""One chain, however many processes write it, kill them or put an older backup back."""

import os
import secrets
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest

pytestmark = pytest.mark.timeout(300)
SERVER = os.environ.get("POCO_TEST_DATABASE_URL", "")
ACTS = int(os.environ.get("POCO_CHAIN_ACTS", "60"))  # of each writer


@dataclass
class Store:
    """A database of its own, on which commands run, with a way to take a backup and to put it back."""

    url: str
    folder: Path
    back_up: Callable[[], None]
    restore: Callable[[], None]
    execute: Callable[[str], list[Any]]
    writers: int

    def environment(self) -> dict[str, str]:
        settings = {"DATABASE_URL": self.url, "POCO_VAR_DIR": str(self.folder), "LOG_LEVEL": "ERROR"}
        return {**os.environ, **settings, "DJANGO_SETTINGS_MODULE": "poco.settings"}

    def manage(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "manage.py", *arguments]
        return subprocess.run(command, env=self.environment(), capture_output=True, text=True, timeout=120, check=False)

    def start(self, name: str, acts: int = ACTS) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "tests.fakes.event_writer", name, str(acts)]
        process = subprocess.Popen(
            command, env=self.environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        return process

    def race(self, *, kill: int = 0) -> int:
        """Let all writers go at once, end some of them on the way; return how many events the others committed."""
        writers = [self.start(f"writer {number}") for number in range(self.writers)]
        for writer in writers:
            assert writer.stdin is not None
            writer.stdin.write("go\n")
            writer.stdin.flush()
        for writer in writers[:kill]:
            time.sleep(0.4)
            writer.send_signal(signal.SIGKILL)
        while any(writer.poll() is None for writer in writers):
            assert self.verified("--quiet") == (0, "")  # a chain that grows meanwhile is not broken
        return sum(int(writer.communicate(timeout=200)[0] or 0) for writer in writers)

    def events(self) -> int:
        return self.execute("SELECT count(*) FROM connectors_adminevent")[0][0]

    def verified(self, *arguments: str) -> tuple[int, str]:
        done = self.manage("audit", "verify", *arguments)
        return done.returncode, done.stdout + done.stderr


@pytest.fixture
def sqlite(tmp_path: Path) -> Store:
    file, copy = tmp_path / "poco.sqlite3", tmp_path / "backup.sqlite3"

    def execute(text: str) -> list[Any]:
        with closing(sqlite3.connect(file, autocommit=True)) as database:
            return database.execute(text).fetchall()

    def back_up() -> None:
        execute(f"VACUUM INTO '{copy}'")

    def restore() -> None:
        for end in ("-wal", "-shm"):
            file.with_name(file.name + end).unlink(missing_ok=True)
        shutil.copy(copy, file)

    return Store(f"sqlite:///{file}", tmp_path, back_up, restore, execute, writers=2)


@pytest.fixture
def postgres(tmp_path: Path) -> Iterator[Store]:
    if not SERVER:
        pytest.skip("needs PostgreSQL in POCO_TEST_DATABASE_URL")
    name = f"poco_{secrets.token_hex(4)}"
    url = f"{SERVER.rpartition('/')[0]}/{name}"

    def execute(text: str) -> list[Any]:
        with closing(psycopg.connect(url, autocommit=True)) as database:
            done = database.execute(text)
            return done.fetchall() if done.description else []

    with closing(psycopg.connect(SERVER, autocommit=True)) as server:
        server.execute(f'CREATE DATABASE "{name}"')

        def back_up() -> None:
            server.execute(f'CREATE DATABASE "{name}_backup" TEMPLATE "{name}"')

        def restore() -> None:
            server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
            server.execute(f'CREATE DATABASE "{name}" TEMPLATE "{name}_backup"')

        yield Store(url, tmp_path, back_up, restore, execute, writers=8)
        for database in (name, f"{name}_backup"):
            server.execute(f'DROP DATABASE IF EXISTS "{database}" WITH (FORCE)')


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest) -> Store:
    found: Store = request.getfixturevalue(request.param)
    migrated = found.manage("migrate", "--verbosity", "0")
    assert migrated.returncode == 0, migrated.stderr
    return found


def forks(store: Store) -> list[Any]:
    return store.execute(
        "SELECT previous_hash FROM connectors_adminevent GROUP BY previous_hash HAVING count(*) > 1"
    ) + store.execute("SELECT sequence FROM connectors_adminevent GROUP BY sequence HAVING count(*) > 1")


def test_writers_never_fork_the_chain_and_lose_nothing(store):
    committed = store.race()
    assert committed == store.events() > store.writers * ACTS / 2
    assert forks(store) == []
    assert store.verified() == (0, f"{committed} events are whole, up to number {committed}.\n")


def test_writers_that_are_killed_leave_a_whole_chain(store):
    committed = store.race(kill=store.writers // 2)
    events = store.events()
    assert events >= committed
    assert forks(store) == []
    assert store.verified() == (0, f"{events} events are whole, up to number {events}.\n")


_SWAP = ";".join(
    f"UPDATE connectors_adminevent SET sequence = {to} WHERE sequence = {of}" for of, to in ((7, 999), (8, 7), (999, 8))
)
TAMPERING = {
    "altered": ("UPDATE connectors_adminevent SET actor_name = 'x' WHERE sequence = 7", "Event 7 ("),
    "removed": ("DELETE FROM connectors_adminevent WHERE sequence = 7", "missing from number 7 on"),
    "truncated": ("DELETE FROM connectors_adminevent WHERE sequence > 20", "missing, from number 21 on"),
    "reordered": (_SWAP, "changed places at number 7 ("),
    "all of it": ("DELETE FROM connectors_adminevent", "missing, from number 1 on"),
}


def test_tampering_with_the_database_is_named(store):
    _write(store, 30)
    store.back_up()
    for statements, told in TAMPERING.values():
        for statement in statements.split(";"):
            store.execute(statement)
        code, said = store.verified()
        assert code == 1
        assert told in said
        store.restore()
    assert store.verified()[0] == 0


def test_an_older_backup_is_found_by_the_head_that_was_kept_elsewhere(store):
    _write(store, 10)
    store.back_up()
    _write(store, 10)
    head = store.folder / "elsewhere.json"
    assert store.manage("audit", "head", "--output", str(head)).returncode == 0
    last = store.events()
    assert store.verified("--head", str(head))[0] == 0

    store.restore()
    assert store.verified()[0] == 0  # the database alone cannot know
    code, said = store.verified("--head", str(head))
    assert (code, f"once went on to number {last}" in said) == (1, True)
    _write(store, 30)
    code, said = store.verified("--head", str(head))
    assert (code, f"Up to number {last} the chain is not the one that was signed" in said) == (1, True)


def _write(store: Store, acts: int) -> None:
    writer = store.start("alone", acts)
    assert int(writer.communicate("go\n", timeout=60)[0]) > 0
