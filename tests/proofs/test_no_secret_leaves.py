"""No secret leaves the vault (safety §30): canaries through every flow of a real product, then a search for them.

Web, worker and agents are processes of their own; programs, servers and people throw their secrets into everything they
say. In the end the whole folder of the product is read byte by byte: database with its log and free pages, broker,
objects, caches; and everything that was printed or shown.
"""

import base64
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.fakes.leaking_server import CANARY
from tests.flows.product import Product
from tests.flows.visitor import PASSWORD, redeem
from tests.proofs.canary_story import Story, WatchedVisitor, services, tell

pytestmark = pytest.mark.timeout(600)


@dataclass
class Left:
    folder: Path
    output: str
    pages: list[str]
    answers: list[str]
    exact: list[bytes]

    def found_in(self, content: bytes) -> list[bytes]:
        """Return every secret with what stands around it."""
        places = [content.find(needle) for needle in (*NEEDLES, *self.exact)]
        return [content[max(0, place - 300) : place + 300] for place in places if place >= 0]

    def found_below(self, *parts: str) -> dict[str, list[bytes]]:
        files = [path for path in self.folder.joinpath(*parts).rglob("*") if path.is_file()]
        assert files, parts
        return {str(path): found for path in files if (found := self.found_in(path.read_bytes()))}


def spellings(text: bytes) -> Iterator[bytes]:
    """The text as it is, and as it reads within base64, whatever stands before it, and within hexadecimal."""
    yield text
    yield text.hex().encode()
    for before in range(3):  # only the characters that hang on the text alone
        first, last = -(-before * 8 // 6), (before + len(text)) * 8 // 6
        yield base64.b64encode(b"\0" * before + text)[first:last]


NEEDLES = tuple(spellings(CANARY.encode()))


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Left]:
    folder = tmp_path_factory.mktemp("canaries")
    archives = folder / "archives"
    archives.mkdir()
    WatchedVisitor.pages = pages = []
    with services() as (server, keyed, open_tools), Product(folder / "var") as product:
        admin = sign_in_watched(product)
        story = Story(product, archives, admin, make_person(product, admin), server, keyed, open_tools)
        tell(story)
        product.stop()
        output = "".join(product.output)
    exact = [secret.encode() for secret in (*server.secrets, *story.tokens) if CANARY not in secret]
    yield Left(folder / "var", output, pages, story.answers, exact)
    shutil.rmtree(folder, ignore_errors=True)


def sign_in_watched(product: Product) -> WatchedVisitor:
    assert product.sign_in_link is not None
    redeem(product.address, product.sign_in_link).close()
    return sign_in_as(product, "admin")


def make_person(product: Product, admin: WatchedVisitor) -> WatchedVisitor:
    admin.open("/people/new/")
    admin.submit("/people/new/", username="mei", display_name="Mei", role="user")
    link = str(admin.page.find(string=lambda text: "/welcome/" in text) or "")
    redeem(product.address, next(word for word in link.split() if "/welcome/" in word)).close()
    return sign_in_as(product, "mei")


def sign_in_as(product: Product, username: str) -> WatchedVisitor:
    visitor = WatchedVisitor(product.address)
    visitor.open("/accounts/login/")
    visitor.submit("/accounts/login/", login=username, password=PASSWORD)
    return visitor


def test_none_lies_in_the_database_its_log_or_its_free_pages(left: Left) -> None:
    content = (left.folder / "poco.sqlite3").read_bytes()
    assert b"connectors_credential" in content
    assert left.found_below() == {}


def test_none_went_through_the_broker_or_into_the_object_store(left: Left) -> None:
    for part in ("broker", "objects"):
        assert left.found_below(part) == {}


def test_none_was_printed_although_programs_wrote_all_they_knew_to_stderr(left: Left) -> None:
    assert "Traceback" in left.output
    assert left.found_in(left.output.encode()) == []


def test_none_stands_on_any_page_failed_ones_included(left: Left) -> None:
    assert len(left.pages) > 100
    assert sum("Something broke on our side" in page for page in left.pages) == 3
    assert [page[:200] for page in left.pages if left.found_in(page.encode())] == []


def test_none_was_told_to_an_agent(left: Left) -> None:
    assert len(left.answers) == 3
    assert [answer for answer in left.answers if left.found_in(answer.encode())] == []


def test_a_canary_would_be_found_however_it_is_spelled() -> None:
    for before in range(4):
        inside = b"x" * before + b'{"token": "canary-access-0001"}'
        for spelled in (inside, base64.b64encode(inside), inside.hex().encode()):
            assert any(needle in spelled for needle in NEEDLES), (before, spelled)
