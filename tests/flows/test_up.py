"""The one command: what it starts, what it prints, and how it ends."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.flows.product import Product, free_port


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    with Product(tmp_path_factory.mktemp("product") / "var") as running:
        yield running


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):  # gone before, or while reading
        return False
    return state != "Z"


def test_the_first_start_prints_address_sign_in_and_three_next_steps(product: Product) -> None:
    text = "".join(product.output)
    assert f"running at {product.address}/" in text
    assert product.sign_in_link is not None
    assert all(f"  {number}. " in text for number in (1, 2, 3))


def test_a_port_given_as_an_option_is_told_everywhere(tmp_path: Path) -> None:
    asked = str(free_port())
    with Product(tmp_path / "var", arguments=("--port", asked)) as product:
        text = "".join(product.output)
    assert f"running at http://127.0.0.1:{asked}/" in text
    assert f"http://127.0.0.1:{asked}/mcp" in text
    assert product.sign_in_link is not None
    assert product.sign_in_link.startswith(f"http://127.0.0.1:{asked}/")


def test_it_says_that_it_lives_and_is_ready(product: Product) -> None:
    assert httpx.get(f"{product.address}/livez").status_code == 200
    assert httpx.get(f"{product.address}/readyz").status_code == 200


def test_the_console_sends_a_stranger_to_sign_in(product: Product) -> None:
    answer = httpx.get(f"{product.address}/", follow_redirects=True)
    assert answer.status_code == 200
    assert "/accounts/login/" in str(answer.url)


def test_styles_and_scripts_are_served_under_names_that_carry_their_digest(product: Product) -> None:
    page = httpx.get(f"{product.address}/accounts/login/").text
    path = page.split('rel="stylesheet" href="')[1].split('"')[0]
    answer = httpx.get(product.address + path)
    assert answer.status_code == 200
    assert "immutable" in answer.headers["cache-control"]


def test_ctrl_c_ends_every_process_and_a_second_start_finds_the_same_data(tmp_path: Path) -> None:
    product = Product(tmp_path / "var")
    product.start()
    started = product.pids()
    assert len(started) == 3
    done = product.manage("new_person", "mei", "--role", "user")
    assert done.returncode == 0, done.stderr
    assert product.stop(signal.SIGINT) == 0
    assert not any(is_alive(pid) for pid in started)
    with product:
        done = product.manage("new_person", "mei", "--role", "user")
        assert done.returncode != 0
        assert "mei" in done.stderr


def test_sigterm_ends_every_process_too(tmp_path: Path) -> None:
    product = Product(tmp_path / "var")
    product.start()
    started = product.pids()
    assert product.stop(signal.SIGTERM) == 0
    assert not any(is_alive(pid) for pid in started)


def test_a_killed_start_leaves_nothing_running(tmp_path: Path) -> None:
    product = Product(tmp_path / "var", arguments=["--web-processes", "2"])
    product.start()
    started = product.pids()
    workers = {int(pid) for parent in started for pid in children_of(parent)}
    assert len(workers) >= 2

    os.kill(product.process.pid, signal.SIGKILL)
    product.stop()

    ends = time.monotonic() + 15
    while (left := {pid for pid in started | workers if is_alive(pid)}) and time.monotonic() < ends:
        os.sched_yield()
    assert not left


def children_of(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
