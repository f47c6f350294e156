"""An authorization server on loopback for faults: it does what it is told, sane or not.

    with AuthorizationServer() as server:
        server.issuer                            # an address with a path, so that every well-known rule is met
        back = server.consent(authorize_url)     # what a person's browser would bring back: code, state, iss
        server.tokens                            # every form that came to the token endpoint

`metadata`, `token_answer` and `pages` are changed while it runs; a page is a status, headers and a body, or a callable
that takes over the handler.
"""

import base64
import hashlib
import json
import secrets
import threading
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, parse_qsl, urlsplit

ACCESS = "canary-access-5d1e"
REFRESH = "canary-refresh-5d1e"

type Page = tuple[int, dict[str, str], bytes]


class AuthorizationServer:
    def __init__(self, *, path: str = "/tenant") -> None:
        self.path = path
        self.hits: Counter[str] = Counter()
        self.tokens: list[dict[str, str]] = []
        self.token_headers: list[dict[str, str]] = []
        self.registrations: list[dict[str, Any]] = []
        self.registration_answer: dict[str, Any] = {}
        self.metadata: dict[str, Any] = {}  # over what it says about itself; None takes a name away
        self.token_answer: dict[str, Any] = {}
        self.pages: dict[str, Page | Callable[[BaseHTTPRequestHandler], None]] = {}
        self.names_itself = True
        self._codes: dict[str, dict[str, str]] = {}

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def issuer(self) -> str:
        return self.origin + self.path

    def __enter__(self) -> Self:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                outer._handle(self, b"")

            def do_POST(self) -> None:
                outer._handle(self, self.rfile.read(int(self.headers["Content-Length"] or 0)))

            def log_message(self, *_args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def describe(self) -> dict[str, Any]:
        about = {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "revocation_endpoint": f"{self.issuer}/revoke",
            "registration_endpoint": f"{self.issuer}/register",
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": self.names_itself,
        } | self.metadata
        return {name: value for name, value in about.items() if value is not None}

    def consent(self, authorize_url: str, **changes: str | None) -> dict[str, str]:
        """Return the callback's query after a person has agreed; `changes` put something else in, None leaves out."""
        asked = dict(parse_qsl(urlsplit(authorize_url).query))
        code = secrets.token_urlsafe(16)
        self._codes[code] = asked
        back: dict[str, str | None] = {"code": code, "state": asked["state"]}
        if self.names_itself:
            back["iss"] = self.issuer
        return {name: value for name, value in (back | changes).items() if value is not None}

    def _handle(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        path = urlsplit(handler.path).path
        self.hits[path] += 1
        page = self.pages.get(path)
        if callable(page):
            page(handler)
            return
        status, headers, content = page or self._answer(path, handler, body)
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(content)

    def _answer(self, path: str, handler: BaseHTTPRequestHandler, body: bytes) -> Page:
        if path == f"/.well-known/oauth-authorization-server{self.path}":
            return as_json(self.describe())
        if path == f"{self.path}/register":
            self.registrations.append(json.loads(body))
            return as_json({"client_id": f"registered-{len(self.registrations)}"} | self.registration_answer, 201)
        if path == f"{self.path}/token":
            self.token_headers.append(dict(handler.headers))
            self.tokens.append({name: values[0] for name, values in parse_qs(body.decode()).items()})
            return self._issue(self.tokens[-1])
        return 404, {}, b""

    def _issue(self, form: dict[str, str]) -> Page:
        asked = self._codes.pop(form.get("code", ""), None)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        proof = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        same = ("redirect_uri", "resource")
        if asked is None or asked["code_challenge"] != proof or any(form.get(name) != asked.get(name) for name in same):
            return as_json({"error": "invalid_grant"}, 400)
        tokens = {"access_token": ACCESS, "token_type": "Bearer", "expires_in": 3600, "refresh_token": REFRESH}
        return as_json({name: value for name, value in (tokens | self.token_answer).items() if value is not None})


def as_json(value: Any, status: int = 200) -> Page:
    return status, {"Content-Type": "application/json"}, json.dumps(value).encode()


def redirect_to(url: str) -> Page:
    return 302, {"Location": url}, b""
