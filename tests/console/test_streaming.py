"""A long answer leaves in pieces under both kinds of server, and lets go of what it reads from."""

import asyncio
from collections.abc import Iterator

import pytest
from django.http import StreamingHttpResponse
from django.test import AsyncRequestFactory, RequestFactory

from connectors.console.streaming import stream

PIECES = [b"one ", b"two"]


class Source:
    """Pieces that note when they are closed."""

    def __init__(self) -> None:
        self.closed = False
        self._pieces = iter(PIECES)

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        return next(self._pieces)

    def close(self) -> None:
        self.closed = True


def answer(factory: RequestFactory | AsyncRequestFactory, source: Source) -> StreamingHttpResponse:
    return stream(factory.get("/"), source, content_type="text/csv", file_name="calls.csv")


async def collect(response: StreamingHttpResponse) -> list[bytes]:
    return [piece async for piece in response.streaming_content]


def test_a_synchronous_server_takes_the_pieces_as_they_are():
    response = answer(RequestFactory(), Source())
    assert not response.is_async
    assert list(response.streaming_content) == PIECES


def test_an_asynchronous_server_takes_them_one_by_one():
    response = answer(AsyncRequestFactory(), Source())
    assert response.is_async
    assert asyncio.run(collect(response)) == PIECES


@pytest.mark.django_db  # the end of a request looks after its connections
def test_the_source_is_closed_even_when_nothing_of_it_was_read():
    for factory in (RequestFactory(), AsyncRequestFactory()):
        source = Source()
        answer(factory, source).close()
        assert source.closed


def test_it_is_a_file_to_be_kept_by_its_reader_alone():
    response = answer(RequestFactory(), Source())
    assert response["Content-Disposition"] == 'attachment; filename="calls.csv"'
    assert response["Cache-Control"] == "private, no-store"
