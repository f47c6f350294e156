"""What keeps the one command from starting is said in a line, with what to do, and nothing is left running."""

import socket
from pathlib import Path

import pytest

from tests.flows.product import Product


def refused(product: Product, **environment: str) -> str:
    done = Product(product.folder, environment).manage("up")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "started" not in done.stdout
    return done.stderr


@pytest.mark.parametrize("variable", ["PORT", "POCO_EXAMPLE_PORT"])
def test_a_port_that_is_taken(tmp_path: Path, variable: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        told = refused(Product(tmp_path / "var"), **{variable: port})
    assert port in told
    assert f"Choose another {variable}" in told


@pytest.mark.parametrize("port", ["0", "99999", "-1", "x"])
def test_a_port_that_is_none(tmp_path: Path, port: str) -> None:
    done = Product(tmp_path / "var").manage("up", "--port", port)
    assert done.returncode == 2
    assert "a port is a number from 1 to 65535" in done.stderr


def test_a_folder_for_data_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "var").write_text("not a folder")
    assert "POCO_VAR_DIR" in refused(Product(tmp_path / "var"))


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("PORT", "abc"),
        ("TZ", "Mars/Olympus"),
        ("DATABASE_URL", "nonsense"),
        ("DATABASE_URL", "postgres://nobody@127.0.0.1:1/none"),
        ("DATABASE_URL", "postgres://nobody@127.0.0.1:port/none"),
        ("BACKEND_URL", "ftp://example.com"),
        ("BACKEND_URL", "http://["),
    ],
)
def test_a_setting_that_makes_no_sense(tmp_path: Path, variable: str, value: str) -> None:
    told = refused(Product(tmp_path / "var"), **{variable: value})
    assert variable in told or "database" in told
    assert len(told.splitlines()) <= 3
