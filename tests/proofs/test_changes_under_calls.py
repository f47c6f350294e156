"""A connector is updated, rolled back and removed while agents call it without a pause, in a product of two web processes.

Every answer comes from the version its log row names, every agent hears once that its run was ended, nothing is left
without an ending, and no page or log holds a traceback.
"""

import sqlite3
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

import pytest

from tests.builders.packages import build_package, build_program_manifest
from tests.fakes.gateway_server import Gateway
from tests.flows.product import Product
from tests.flows.visitor import Visitor, redeem

pytestmark = pytest.mark.timeout(600)
CONVERSATION = "poco.connectors/conversation"
NO_AUTH = {"strategy": "none", "interaction": "none", "fields": [], "options": {"type": "none"}}
PROVIDER = """
import json, sys, time
operation = json.load(sys.stdin)["operation"]
if operation == "configuration_validate":
    result = {}
elif operation == "tools_discover":
    tool = {"key": "book", "upstream_name": "book", "description": "book", "input_schema": {"type": "object"},
            "effect": "write", "retry_policy": "never", "confirmation": "not_required", "source_revision": "1"}
    result = {"tools": [tool]}
else:
    time.sleep(0.3)
    result = {"content": [{"type": "text", "text": "VERSION"}], "is_error": False, "error": None}
print(json.dumps({"protocol_version": 1, "ok": True, "result": result}))
"""


@dataclass
class Caller:
    """An agent in one conversation that calls until it is told to stop."""

    gateway: Gateway
    conversation: str
    stop: threading.Event
    answers: list[str] = field(default_factory=list)

    def run(self) -> None:
        while not self.stop.wait(0.05):
            answer = self.gateway.call("records__book", **{CONVERSATION: self.conversation})
            text = f"error {answer.error['code']}" if "error" in answer.json else answer.result["content"][0]["text"]
            self.answers.append(text.partition(":")[0])

    def course(self) -> list[str]:
        return [answer for answer, _ in groupby(self.answers)]


def pack(folder: Path, version: str) -> Path:
    document = build_program_manifest(
        package_version=version,
        auth=NO_AUTH,
        tool_policy={
            "default": "deny",
            "rules": [{"tool": "book", "effect": "write", "retry": "never", "confirmation": "not_required"}],
        },
    )
    files = {"provider/main.py": PROVIDER.replace("VERSION", version)}
    return build_package(folder / f"{version}.zip", manifest=document, files=files)


def wait_until(happened: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.2)


class Story:
    def __init__(self, product: Product, folder: Path) -> None:
        self.product, self.folder = product, folder
        self.stop = threading.Event()
        assert product.sign_in_link is not None
        self.admin: Visitor = redeem(product.address, product.sign_in_link)
        self.manage("install_package", str(pack(folder, "1.0.0")), "--set", "endpoint=https://e.example", "--publish")
        self.callers = []
        for name in ("mei", "noor"):
            self.manage("new_person", name)
            token = self.manage("new_agent", "--owner", name, "--name", "bot", "--grant", "records").splitlines()[-1]
            self.callers += [Caller(Gateway(product.port, token), each, self.stop) for each in ("", "other")]
        self.threads = [threading.Thread(target=caller.run) for caller in self.callers]

    def manage(self, *arguments: str) -> str:
        done = self.product.manage(*arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def ask(self, query: str) -> list[tuple[object, ...]]:
        connection = sqlite3.connect(self.product.folder / "poco.sqlite3", timeout=30)
        with connection:
            found = connection.execute(query).fetchall()
        connection.close()
        return found

    def end_all_runs(self) -> None:
        """By the page's button; then as if two minutes had passed."""
        self.admin.open("/connectors/records/")
        self.admin.submit("/drain/runs/end/")
        assert "4 runs were ended" in self.admin.text()
        wait_until(lambda: all("connector_draining" in caller.answers[-5:] for caller in self.callers))
        self.ask(
            "UPDATE connectors_run SET stopped_at = datetime(stopped_at, '-3 minutes') WHERE stopped_at IS NOT NULL"
        )

    def hear(self, version: str) -> None:
        wait_until(lambda: all(version in caller.answers[-3:] for caller in self.callers))


@pytest.fixture
def story(tmp_path):
    with Product(tmp_path / "var", arguments=["--web-processes", "2", "--no-example"]) as product:
        story = Story(product, tmp_path)
        for thread in story.threads:
            thread.start()
        yield story
        story.stop.set()
        for thread in story.threads:
            thread.join()
        story.admin.close()


def test_agents_that_call_all_the_while_meet_one_version_after_the_other(story):
    story.hear("1.0.0")
    story.manage("update_package", str(pack(story.folder, "1.1.0")), "--drain")
    story.end_all_runs()
    story.hear("1.1.0")
    story.manage("remove_connector", "records", "--confirm", "records", "--drain")
    story.end_all_runs()
    wait_until(lambda: story.ask("SELECT count(*) FROM connectors_connector") == [(0,)])
    story.stop.set()
    for thread in story.threads:
        thread.join()

    told = ["run_stopped", "connector_draining"]
    for caller in story.callers:
        course = [answer for answer in caller.course() if answer not in ("snapshot_stale", "error -32602")]
        assert course == ["1.0.0", *told, "1.1.0", *told]
        assert caller.answers.count("run_stopped") == 2
    counted = {
        version: sum(caller.answers.count(version) for caller in story.callers) for version in ("1.0.0", "1.1.0")
    }
    logged = "SELECT package_version, count(*) FROM connectors_callrecord WHERE outcome = 'succeeded' GROUP BY 1"
    assert dict(story.ask(logged)) == counted
    assert story.ask("SELECT count(*) FROM connectors_invocation WHERE ended_at IS NULL") == [(0,)]
    unanswered = "SELECT count(*) FROM connectors_decisionrecord WHERE allowed AND id NOT IN (SELECT decision_id FROM connectors_callrecord)"
    assert story.ask(unanswered) == [(0,)]
    assert not [line for line in story.product.output if "Traceback" in line or "ERROR" in line]
