"""A body is taken in up to its limit, whether it says its length or not; the rest is on no disk and in no memory."""

import pytest
from asgiref.testing import ApplicationCommunicator
from django.urls import reverse

from connectors.api.body_limit import UPLOADS, bound_body, limit_of
from poco.asgi import application

MIB = 1024 * 1024
REST = {"type": "http.disconnect"}


def scope_of(path: str, length: bytes | None = None):
    headers = [(b"host", b"localhost"), (b"content-type", b"application/x-www-form-urlencoded")]
    if length is not None:
        headers.append((b"content-length", length))
    return {"type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "query_string": b"",
            "headers": headers, "scheme": "http", "http_version": "1.1", "client": ("127.0.0.1", 1)}  # fmt: skip


async def take(scope, chunks):
    """Read as Django does, to the end of the body; return it, how many chunks it took, and what comes after."""
    left = iter([*({"type": "http.request", "body": chunk, "more_body": True} for chunk in chunks),
                 {"type": "http.request", "body": b"", "more_body": False}, REST])  # fmt: skip
    asked = 0

    async def receive():
        nonlocal asked
        asked += 1
        return next(left)

    bounded, body, more = bound_body(scope, receive), b"", True
    while more:
        message = await bounded()
        body, more = body + message["body"], message["more_body"]
    asked_for = asked
    return body, asked_for, await bounded()


@pytest.fixture(autouse=True)
def small(settings):
    settings.MAX_UPLOAD_SIZE_MB, settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1, 100


async def test_what_is_within_it_is_handed_on_whole():
    scope = scope_of("/accounts/login/")
    body, _asked, after = await take(scope, [b"a" * 50, b"b" * 49])
    assert body == b"a" * 50 + b"b" * 49
    assert after == REST


async def test_what_says_no_length_ends_at_it_and_is_told_to_be_too_long():
    scope = scope_of("/accounts/login/")
    body, asked, after = await take(scope, [b"a" * 50_000] * 1000)
    assert len(body) <= limit_of(scope["path"])
    assert asked == 2
    assert after == REST
    assert (b"content-length", b"100000") in scope["headers"]


async def test_of_what_says_it_is_longer_nothing_is_taken():
    body, asked, after = await take(scope_of("/accounts/login/", b"99999999"), [b"a" * 50] * 9)
    assert (body, asked, after) == (b"", 0, REST)


@pytest.mark.parametrize(("route", "arguments"), [("install", []), ("connector_update", ["records"])])
def test_only_where_packages_are_handed_in_it_is_that_of_a_package(route, arguments):
    address = reverse(f"console:{route}", args=arguments)
    assert UPLOADS.fullmatch(address)
    assert limit_of(address) > MIB > limit_of(f"{address}more/")


@pytest.mark.django_db(transaction=True)
async def test_a_form_that_is_too_long_is_answered():
    communicator = ApplicationCommunicator(application, scope_of("/preferences/"))
    await communicator.send_input({"type": "http.request", "body": b"next=" + b"a" * 200_000, "more_body": True})
    started = await communicator.receive_output(20)
    assert 400 <= started["status"] < 500
