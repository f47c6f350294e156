"""Everything people do with secrets, on a running product whose every secret is a canary; what it left is kept."""

import contextlib
import re
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from tests.builders import leaking
from tests.fakes.leaking_server import LeakingServer, query_of
from tests.fakes.mcp_server import McpServer, tool
from tests.flows.product import ROOT, Product
from tests.flows.visitor import Visitor

CALLBACK = "/api/v1/connectors/oauth/callback"
TYPED = "canary-typed-"
CLIENT = "canary-client-"
PASS = "canary-pass-"
WAIT_SECONDS = 60


class WatchedVisitor(Visitor):
    """Keeps the HTML of every page it gets."""

    pages: list[str]

    def _take(self, answer: Any, expect: int) -> Any:
        self.pages.append(f"<!-- {answer.url} -->{answer.text}")
        return super()._take(answer, expect)


@dataclass
class Story:
    product: Product
    archives: Path
    admin: WatchedVisitor
    mei: WatchedVisitor
    server: LeakingServer
    keyed: McpServer
    open_tools: McpServer
    tokens: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)

    # What an administrator does ---------------------------------------------------------------------------

    def install(self, archive: Path, **configuration: str) -> str:
        key = archive.stem
        self.admin.open("/install/")
        self.admin.submit("/install/", package=archive)
        self.admin.open(self.admin.url + "configure/")
        self.admin.submit("/commit/", **configuration)
        self.admin.open(f"/connectors/{key}/publish/")
        self.admin.submit(f"/connectors/{key}/publish/")
        return key

    def configure(self, key: str, **configuration: str | list[str]) -> None:
        self.admin.open(f"/connectors/{key}/configuration/")
        self.admin.submit(f"/connectors/{key}/configuration/", **configuration)

    # What their owner does --------------------------------------------------------------------------------

    def connect(self, key: str, expect: int = 200, **typed: str) -> None:
        self.mei.open(f"/catalogue/{key}/connect/")
        self.mei.submit(f"/catalogue/{key}/connect/", expect=expect, **typed)

    def reconnect(self, key: str, expect: int = 200, **typed: str) -> None:
        path = f"/connections/{self.connection(key)}/reconnect/"
        self.mei.open(path)
        self.mei.submit(path, expect=expect, **typed)

    def disconnect(self, key: str) -> None:
        path = f"/connections/{self.connection(key)}/disconnect/"
        self.mei.open(path)
        self.mei.submit(path)

    def come_back(self, **changes: str | None) -> None:
        """From the page that leads to the service: agree there, and come back with what it says."""
        answer = self.server.consent(self.leaving, **changes)
        self.mei.open(f"{CALLBACK}?{urlencode(answer)}")

    def come_back_to_program(self, code: str) -> None:
        self.mei.open(f"{CALLBACK}?{urlencode({'state': query_of(self.leaving)['state'], 'code': code})}")

    @property
    def leaving(self) -> str:
        meta = self.mei.page.find("meta", attrs={"http-equiv": "refresh"})
        assert meta is not None, self.mei.text()[:500]
        return str(meta["content"]).partition("url=")[2]

    def look_around(self) -> None:
        """Every page that shows something of an account, to its owner and to who runs the console."""
        for path in ("/", "/connections/", "/my/calls/", "/my/decisions/", "/agents/"):
            self.mei.open(path)
        for connection in self.rows("SELECT id FROM connectors_connection"):
            self.mei.open(f"/connections/{UUID(connection)}/")
        for path in ("/connectors/", "/health/", "/audit/calls/", "/audit/decisions/", "/audit/events/"):
            self.admin.open(path)
        for key in self.rows("SELECT key FROM connectors_connector"):
            for tab in ("", "configuration/", "tools/", "versions/"):
                self.admin.open(f"/connectors/{key}/{tab}")

    # What happens by itself -------------------------------------------------------------------------------

    def work(self, task: str) -> None:
        """Hand the running worker a task, through its own broker."""
        command = [sys.executable, "-m", "celery", "-A", "poco.celery", "call", task]
        subprocess.run(command, cwd=ROOT, env=self.product.environment, check=True, capture_output=True)

    def refresh(self, key: str, until: Callable[[], bool]) -> None:
        self.change("UPDATE connectors_refreshlease SET due_at = '2001-01-01', cooldown_until = NULL "
                    f"WHERE connection_id = '{self.id_of(key)}'")  # fmt: skip
        self.work("authorization.refresh_due")
        self.wait(until)

    def version(self, key: str) -> int:
        return int(self.row(f"SELECT version FROM connectors_credential WHERE connection_id = '{self.id_of(key)}'"))

    def failure(self, key: str) -> str:
        return str(self.row(f"SELECT failure FROM connectors_refreshlease WHERE connection_id = '{self.id_of(key)}'"))

    def wait(self, until: Callable[[], bool]) -> None:
        end = time.monotonic() + WAIT_SECONDS
        while not until():
            assert time.monotonic() < end, "".join(self.product.output[-40:])
            time.sleep(0.2)  # another process works: there is nothing to wait on

    # What lies in the database, read beside the product ---------------------------------------------------

    def connection(self, key: str) -> str:
        return str(UUID(self.id_of(key)))

    def id_of(self, key: str) -> str:
        return str(self.row("SELECT c.id FROM connectors_connection c JOIN connectors_connector k ON k.id = "
                            f"c.connector_id WHERE k.key = '{key}'"))  # fmt: skip

    def row(self, query: str) -> Any:
        return self.rows(query)[0]

    def rows(self, query: str) -> list[Any]:
        with contextlib.closing(sqlite3.connect(self.database, timeout=30)) as database:
            return [row[0] for row in database.execute(query)]

    def change(self, statement: str) -> None:
        with contextlib.closing(sqlite3.connect(self.database, timeout=30)) as database, database:
            database.execute(statement)

    @property
    def database(self) -> Path:
        return self.product.folder / "poco.sqlite3"


def tell(story: Story) -> None:
    """All of it, in the order in which it gets worse."""
    for chapter in (_static, _oauth, _registered, _public, _program_redirect, _program_form, _program_none, _mixed):
        chapter(story)
    story.look_around()
    _settle_revocations(story)
    story.look_around()
    _break(story)


def _static(story: Story) -> None:
    key = story.install(leaking.pack_static(story.archives), endpoint=story.keyed.url)
    story.connect(key, expect=422, api_key=f"{TYPED}wrong-key")
    story.connect(key, api_key=f"{TYPED}first-key")
    story.keyed.knobs.key = ("Authorization", f"Bearer {TYPED}second-key")
    story.reconnect(key, expect=422, api_key=f"{TYPED}another-wrong-key")
    story.reconnect(key, api_key=f"{TYPED}second-key")
    story.disconnect(key)


def _oauth(story: Story) -> None:
    archive = leaking.pack_oauth(story.archives, "confidential", story.server.issuer, "client_secret_basic")
    key = story.install(archive, endpoint=story.open_tools.url, client_id="console", client_secret=f"{CLIENT}one")
    story.connect(key)
    story.mei.submit("/cancel/")  # a cancelled attempt
    story.connect(key)
    story.come_back(code=f"{TYPED}made-up-code")  # refused by the service
    story.connect(key)
    story.come_back(iss="https://somebody.example.com")
    story.connect(key)
    story.come_back()
    story.mei.open(f"{CALLBACK}?{urlencode({'state': 'unknown', 'code': TYPED + 'unknown-code'})}", expect=404)
    story.refresh(key, lambda: story.version(key) == 2)
    story.server.mood = "down"
    story.refresh(key, lambda: bool(story.failure(key)))
    story.look_around()
    story.server.mood = ""
    story.configure(key, client_secret=f"{CLIENT}two")  # the old one is taken out
    story.refresh(key, lambda: story.version(key) == 3)
    story.reconnect(key)
    story.come_back()
    story.server.mood = "over"
    story.refresh(key, lambda: story.failure(key) == "invalid_grant")
    story.server.mood = ""
    story.reconnect(key)
    story.come_back()
    story.server.mood = "down"
    story.disconnect(key)


def _registered(story: Story) -> None:
    archive = leaking.pack_oauth(story.archives, "registered", story.server.issuer, "client_secret_post", optional=True)
    key = story.install(archive, endpoint=story.open_tools.url)
    story.server.mood = ""
    story.connect(key)
    story.come_back()
    story.refresh(key, lambda: story.version(key) == 2)


def _public(story: Story) -> None:
    archive = leaking.pack_oauth(story.archives, "public", story.server.issuer, "none")
    key = story.install(archive, endpoint=story.open_tools.url, client_id="console")
    story.connect(key)
    story.come_back(code=None, error="access_denied")
    story.connect(key)
    story.come_back()
    story.refresh(key, lambda: story.version(key) == 2)


def _program_redirect(story: Story) -> None:
    key = story.install(
        leaking.pack_program(story.archives, "redirect"), endpoint=story.server.issuer, passphrase=f"{PASS}redirect"
    )
    story.connect(key)
    story.mei.submit("/cancel/")
    for code in ("wrong", "crash"):
        story.connect(key)
        story.come_back_to_program(f"{TYPED}{code}-code")
    story.connect(key)
    story.come_back_to_program(f"{TYPED}ann-code")
    story.refresh(key, lambda: story.version(key) == 2)
    story.reconnect(key)
    story.come_back_to_program(f"{TYPED}bob-code")
    story.mei.submit("/cancel/")  # another account, turned away
    story.reconnect(key)
    story.come_back_to_program(f"{TYPED}bob-code")
    story.mei.submit("/take/")  # and then taken
    story.configure(key, passphrase=f"{PASS}redirect-down")
    story.refresh(key, lambda: bool(story.failure(key)))


def _program_form(story: Story) -> None:
    key = story.install(
        leaking.pack_program(story.archives, "form"), endpoint=story.server.issuer, passphrase=f"{PASS}form"
    )
    for typed in ("wrong", "crash"):
        story.connect(key, expect=422, api_key=f"{TYPED}{typed}-form")
    story.connect(key, api_key=f"{TYPED}ann-form")
    story.reconnect(key, api_key=f"{TYPED}bob-form")
    story.mei.submit("/cancel/")
    _call_tools(story, key)
    story.configure(key, **{"clear-passphrase": ["yes"]})  # the configuration's secret is removed
    story.disconnect(key)


def _call_tools(story: Story, key: str) -> None:
    """An agent calls what works, what crashes with everything it was told, and what refuses with it."""
    mei = story.mei
    mei.open("/agents/new/")
    mei.submit("/agents/new/", expect=201, name="Helper")
    token = re.search(r"poco_[A-Za-z0-9_-]{43}", mei.html)
    assert token is not None
    mei.pages.pop()  # it is shown there, once
    story.tokens.append(token.group())
    mei.open(f"/agents/{mei.url.rstrip('/').rpartition('/')[2]}/" if "/new/" not in mei.url else "/agents/")
    mei.open(next(a["href"] for a in mei.page.find_all("a") if a.get_text(strip=True) == "Helper"))
    mei.open(next(a["href"] for a in mei.page.find_all("a", href=re.compile("/grants/"))))
    mei.submit(re.sub(r"^https?://[^/]+", "", mei.url), breadth="all", access="read_write")
    for name in ("find", "crash", "refuse"):
        story.answers.append(_call(story, token.group(), f"{key}__{name}"))


def _call(story: Story, token: str, name: str) -> str:
    import httpx2  # noqa: PLC0415 - a development dependency of the proofs

    version = "2025-11-25"
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": {}}}
    headers = {"Authorization": f"Bearer {token}", "MCP-Protocol-Version": version, "Accept": "application/json"}
    answer = httpx2.post(f"{story.product.address}/mcp", json=message, headers=headers, timeout=60)
    return answer.text


def _program_none(story: Story) -> None:
    key = story.install(
        leaking.pack_program(story.archives, "none"), endpoint=story.server.issuer, passphrase=f"{PASS}none"
    )
    story.connect(key)
    story.refresh(key, lambda: story.version(key) == 2)


def _mixed(story: Story) -> None:
    key = story.install(
        leaking.pack_program(story.archives, "form", mixed=True), endpoint=story.open_tools.url, passphrase=f"{PASS}mix"
    )
    story.connect(key, api_key=f"{TYPED}ann-mixed")
    story.disconnect(key)


def _settle_revocations(story: Story) -> None:
    """Revoked where the service takes it; refused with everything thrown back; given up in the end."""
    story.server.mood = "down"
    jobs = "SELECT COUNT(*) FROM connectors_revocationjob"
    assert story.row(jobs) >= 3
    story.change("UPDATE connectors_revocationjob SET due_at = '2001-01-01'")
    story.work("authorization.revoke_due")
    story.wait(lambda: story.row(f"{jobs} WHERE failure = ''") == 0)
    story.server.mood = ""
    story.change("UPDATE connectors_revocationjob SET due_at = '2001-01-01', gives_up_at = '2001-01-01'")
    story.work("authorization.revoke_due")
    story.wait(lambda: story.row(f"{jobs} WHERE gave_up_at IS NULL") == 0)
    assert "revoke" in story.server.seen
    story.disconnect("registered")
    story.disconnect("public")
    story.change("UPDATE connectors_revocationjob SET due_at = '2001-01-01' WHERE gave_up_at IS NULL")
    story.work("authorization.revoke_due")
    story.wait(lambda: story.row(f"{jobs} WHERE gave_up_at IS NULL") == 0)


def _break(story: Story) -> None:
    """Tables are gone under the running product: acts that fail in the middle, with secrets in what was sent to them."""
    story.change("ALTER TABLE connectors_adminevent RENAME TO connectors_adminevent_gone")
    story.connect("keyed", expect=500, api_key=f"{TYPED}second-key")
    story.connect("program-form", expect=500, api_key=f"{TYPED}ann-form")
    story.change("ALTER TABLE connectors_adminevent_gone RENAME TO connectors_adminevent")
    story.change("ALTER TABLE connectors_credential RENAME TO connectors_credential_gone")
    story.mei.open("/connections/", expect=500)
    story.work("authorization.refresh_due")
    story.mei.open("/there/is/nothing/", expect=404)
    story.change("ALTER TABLE connectors_credential_gone RENAME TO connectors_credential")


@contextlib.contextmanager
def services() -> Iterator[tuple[LeakingServer, McpServer, McpServer]]:
    """A leaking authorization server, a server that wants a key, and one that says where its accounts sign in."""
    key = ("Authorization", f"Bearer {TYPED}first-key")
    with (
        LeakingServer() as server,
        McpServer([tool("search_records")], key=key) as keyed,
        McpServer([tool("search_records")]) as open_tools,
    ):
        document = {"resource": open_tools.url, "authorization_servers": [server.issuer]}
        open_tools.knobs.documents["/.well-known/oauth-protected-resource/mcp"] = document
        yield server, keyed, open_tools
