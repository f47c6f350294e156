"""Somebody else's S3 server on loopback, which answers one request after the other.

Its own conditional put looks first and writes later, so two at once could both win; a real store decides once.
"""

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import boto3
from moto.server import ThreadedMotoServer

BUCKET = "packages"
KEYS = {"aws_access_key_id": "id", "aws_secret_access_key": "secret"}

type Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


@contextlib.contextmanager
def running_s3_server() -> Iterator[str]:
    """Give the server's URL; it has one bucket, `packages`."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    assert server._server is not None
    server._server.app = _one_at_a_time(server._server.app)
    host, port = server.get_host_and_port()
    url = f"http://{host}:{port}"
    with contextlib.closing(
        boto3.session.Session().client("s3", endpoint_url=url, region_name="us-east-1", **KEYS)
    ) as client:
        client.create_bucket(Bucket=BUCKET)
    yield url
    server.stop()


def _one_at_a_time(application: Application) -> Application:
    turn = threading.Lock()

    def answer(environment: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        with turn:
            return list(application(environment, start))

    return answer
