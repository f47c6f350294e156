"""A token endpoint on loopback that rotates refresh tokens and knows a reused one, as RFC 9700 §4.14 asks.

    with TokenServer() as server:
        server.issue("r1")          # a grant whose current refresh token is r1
        …
        assert server.refreshes == ["r1"]

A reused token ends its whole family, unless `leeway` forgives the one just before the current. `answer` replaces the
next answers: a status, a body, or an act on the connection.
"""

import contextlib
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs

type Act = Callable[[BaseHTTPRequestHandler], bool]
"""Takes over one request; returns whether that was all."""


@dataclass
class Family:
    """One grant: its current refresh token, those before it, and whether reuse has ended it."""

    current: str
    used: list[str] = field(default_factory=list)
    ended: bool = False


class TokenServer:
    def __init__(self, *, rotates: bool = True, leeway: bool = False, seconds: int | None = 3600) -> None:
        self.rotates, self.leeway, self.seconds = rotates, leeway, seconds
        self.families: list[Family] = []
        self.refreshes: list[str] = []  # refresh tokens as they came in
        self.revoked: list[str] = []
        self.forms: list[dict[str, str]] = []
        self.headers: list[dict[str, str]] = []
        self.answers: list[tuple[int, Any]] = []  # statuses and bodies to answer with first
        self.extra: dict[str, Any] = {}
        self.before: list[Act] = []  # acts on the next requests, before anything is done
        self.after: list[Act] = []  # acts on the next requests, when the tokens have been made
        self.delay = 0.0
        self._lock = threading.Lock()
        self._numbers = 0

    def __enter__(self) -> Self:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                server.handle(self)

            def log_message(self, *_args: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def token_endpoint(self) -> str:
        return f"{self.url}/token"

    @property
    def revocation_endpoint(self) -> str:
        return f"{self.url}/revoke"

    def issue(self, refresh_token: str) -> Family:
        family = Family(refresh_token)
        self.families.append(family)
        return family

    def handle(self, request: BaseHTTPRequestHandler) -> None:
        body = request.rfile.read(int(request.headers.get("Content-Length", "0"))).decode()
        form = {key: values[0] for key, values in parse_qs(body, keep_blank_values=True).items()}
        with self._lock:
            self.forms.append(form)
            self.headers.append(dict(request.headers))
            if request.path == "/token":
                self.refreshes.append(form.get("refresh_token", ""))
            before = self.before.pop(0) if self.before else None
            canned = self.answers.pop(0) if self.answers else None
        if before is not None and before(request):
            return
        time.sleep(self.delay)
        with self._lock:
            status, answer = canned or self._decide(request.path, form)
            after = self.after.pop(0) if self.after else None
        if after is not None and after(request):
            return
        _answer(request, status, answer)

    def _decide(self, path: str, form: dict[str, str]) -> tuple[int, Any]:
        if path == "/revoke":
            self.revoked.append(form["token"])
            return 200, {}
        return self._refresh(form["refresh_token"])

    def _refresh(self, token: str) -> tuple[int, Any]:
        family = next((each for each in self.families if token == each.current or token in each.used), None)
        if family is None or family.ended:
            return 400, {"error": "invalid_grant"}
        if token != family.current and not (self.leeway and token == family.used[-1]):
            family.ended = True
            return 400, {"error": "invalid_grant"}
        self._numbers += 1
        answer: dict[str, Any] = {"access_token": f"access-{self._numbers}", "token_type": "Bearer"}
        if self.seconds is not None:
            answer["expires_in"] = self.seconds
        if self.rotates:
            family.used.append(family.current)
            family.current = answer["refresh_token"] = f"refresh-{self._numbers}"
        return 200, {**answer, **self.extra}


def _answer(request: BaseHTTPRequestHandler, status: int, answer: Any) -> None:
    body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    with contextlib.suppress(OSError):  # who asked may be gone
        request.send_response(status)
        request.send_header("Content-Type", "application/json")
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)


def hang_up(request: BaseHTTPRequestHandler) -> bool:
    """Close the connection without an answer."""
    request.close_connection = True
    return True
