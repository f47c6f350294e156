"""A TCP proxy on loopback that cuts a connection where a test wants it, for any protocol.

    with CuttingProxy(host, port) as proxy:
        proxy.verdict = lambda chunk: "swallow" if b"COMMIT" in chunk else "pass"

`verdict` looks at each chunk on its way to the server: `pass` it on, `drop` the connection instead, or `swallow` the
answer: the server gets the chunk and acts, and whoever asked sees the connection end.
"""

import contextlib
import socket
import threading
from collections.abc import Callable
from typing import Literal, Self

type Verdict = Literal["pass", "drop", "swallow"]
CHUNK = 64 * 1024


def pass_on(_chunk: bytes) -> Verdict:
    return "pass"


class CuttingProxy:
    def __init__(self, host: str, port: int) -> None:
        self._server = (host, port)
        self.verdict: Callable[[bytes], Verdict] = pass_on
        self.down = False
        self.cuts = 0

    def __enter__(self) -> Self:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _address = self._listener.accept()
            except OSError:  # closed: the test is over
                return
            if self.down:
                client.close()
                continue
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, contextlib.suppress(OSError), socket.create_connection(self._server) as server:
            muted = threading.Event()
            answering = threading.Thread(target=self._answer, args=(server, client, muted), daemon=True)
            answering.start()
            self._ask(client, server, muted)
            answering.join()

    def _ask(self, client: socket.socket, server: socket.socket, muted: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while chunk := client.recv(CHUNK):
                verdict = self.verdict(chunk)
                if verdict != "pass":
                    self.cuts += 1
                if verdict == "drop":
                    break
                if verdict == "swallow":
                    muted.set()
                server.sendall(chunk)
        with contextlib.suppress(OSError):
            server.shutdown(socket.SHUT_RDWR if not muted.is_set() else socket.SHUT_WR)
        with contextlib.suppress(OSError):
            client.shutdown(socket.SHUT_RDWR)

    def _answer(self, server: socket.socket, client: socket.socket, muted: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while chunk := server.recv(CHUNK):
                if muted.is_set():
                    break
                client.sendall(chunk)
        with contextlib.suppress(OSError):
            client.shutdown(socket.SHUT_RDWR)
