"""The same way from a ZIP to a logged call on PostgreSQL, Redis and an S3 server, through two web processes."""

import base64
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import pytest

from tests.fakes.s3_server import BUCKET, KEYS, running_s3_server
from tests.flows.product import ROOT, Product, free_port
from tests.flows.visitor import redeem

pytestmark = [pytest.mark.service, pytest.mark.timeout(240)]

DATABASE_URL = os.environ.get("POCO_TEST_DATABASE_URL", "")
REDIS_URL = os.environ.get("POCO_TEST_REDIS_URL", "")
if not (DATABASE_URL and REDIS_URL):
    pytest.skip("needs PostgreSQL and Redis in POCO_TEST_DATABASE_URL and POCO_TEST_REDIS_URL", allow_module_level=True)


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    name = f"poco_{secrets.token_hex(4)}"
    with closing(psycopg.connect(DATABASE_URL, autocommit=True)) as server:
        server.execute(f'CREATE DATABASE "{name}"')
        yield DATABASE_URL.rpartition("/")[0] + f"/{name}"
        server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture(scope="module")
def bucket() -> Iterator[dict[str, str]]:
    with running_s3_server() as url:
        yield {
            "S3_BUCKET": BUCKET,
            "S3_ENDPOINT_URL": url,
            "S3_ACCESS_KEY_ID": KEYS["aws_access_key_id"],
            "S3_SECRET_ACCESS_KEY": KEYS["aws_secret_access_key"],
        }


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The example server, which the production form does not start."""
    port = free_port()
    data = tmp_path_factory.mktemp("example")
    command = [sys.executable, "-m", "connectors.examples.server", "--port", str(port), "--data", str(data)]
    process = subprocess.Popen(command, cwd=ROOT)
    yield f"http://127.0.0.1:{port}/mcp"
    process.terminate()
    process.wait()


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory, database: str, bucket: dict[str, str]) -> Iterator[Product]:
    environment = {
        "POCO_DEPLOYMENT": "production",
        "SECRET_KEY": secrets.token_urlsafe(50),
        "POCO_VAULT_KEYS": "k1:" + base64.b64encode(secrets.token_bytes(32)).decode(),
        "POCO_PRIVATE_HOSTS": "127.0.0.0/8",
        "DATABASE_URL": database,
        "REDIS_URL": REDIS_URL,
        **bucket,
    }
    with Product(tmp_path_factory.mktemp("product") / "var", environment, ["--web-processes", "2"]) as running:
        yield running


@pytest.fixture(scope="module")
def token(product: Product, packages: Path, example: str) -> str:
    done = product.manage(
        "install_package", str(packages / "workbench.zip"), "--set", f"endpoint={example}", "--publish"
    )
    assert done.returncode == 0, done.stderr
    done = product.manage("new_agent", "--owner", "admin", "--name", "script", "--grant", "workbench")
    assert done.returncode == 0, done.stderr
    return done.stdout.strip().split()[-1]


def call(product: Product, token: str, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """One call over a connection of its own, so that any web process may answer."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/json, text/event-stream"}
    answer = httpx2.post(f"{product.address}/mcp", json=message, headers=headers, timeout=30)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def test_every_call_is_answered_and_logged_whichever_process_takes_it(
    product: Product, token: str, database: str
) -> None:
    done = product.manage("new_agent", "--owner", "admin", "--name", "twenty", "--grant", "workbench")
    twenty = done.stdout.strip().split()[-1]
    for number in range(20):
        answer = call(product, twenty, "workbench__search_notes", {"query": "offsite", "limit": 1 + number})
        assert "Hangzhou" in answer["result"]["content"][0]["text"]
    with closing(psycopg.connect(database)) as rows:
        logged = rows.execute("SELECT count(*) FROM connectors_callrecord WHERE agent_name = 'twenty'").fetchone()
    assert logged == (20,)


def test_the_package_lies_in_the_bucket(product: Product, token: str, bucket: dict[str, str]) -> None:
    listing = httpx2.get(f"{bucket['S3_ENDPOINT_URL']}/{bucket['S3_BUCKET']}").text
    assert "connectors/packages/workbench/1.0.0/" in listing


def test_pages_give_their_database_connections_back(product: Product, database: str) -> None:
    assert product.sign_in_link is not None
    visitor = redeem(product.address, product.sign_in_link)
    for _ in range(40):
        visitor.open("/")
    visitor.close()
    name = database.rpartition("/")[2]
    with closing(psycopg.connect(database)) as rows:
        held = rows.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = %s", (name,)).fetchone()
    assert held is not None
    assert held[0] < 24  # two web processes and a worker, each with its lanes and a few spare


def test_a_revoked_token_stops_the_next_call_in_every_process(product: Product, token: str, database: str) -> None:
    done = product.manage("new_agent", "--owner", "admin", "--name", "brief", "--grant", "workbench")
    brief = done.stdout.strip().split()[-1]
    for _ in range(8):  # both processes have it in memory
        call(product, brief, "workbench__search_notes", {})
    with closing(psycopg.connect(database, autocommit=True)) as rows:
        rows.execute("UPDATE connectors_agenttoken SET revoked_at = now() WHERE hint = %s", (brief[-4:],))
    for _ in range(8):
        answer = httpx2.post(f"{product.address}/mcp", json={}, headers={"Authorization": f"Bearer {brief}"})
        assert answer.status_code == 401
