"""An authorization server whose every secret is a canary, and which throws them back in whatever it says.

    with LeakingServer() as server:
        server.mood = "down"       # 500 to tokens and revocations, with what it was sent in the answer
        server.mood = "over"       # invalid_grant, described with the refresh token

Codes, tokens, client secrets and verifiers that went over the wire are in `secrets`.
"""

import itertools
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.fakes.authorization_server import AuthorizationServer, Page, as_json

CANARY = "canary-"


class LeakingServer(AuthorizationServer):
    def __init__(self) -> None:
        super().__init__()
        self.mood = ""
        self.secrets: set[str] = set()
        self.seen: list[str] = []  # grant types, and what was revoked
        self._numbers = itertools.count(1)

    def new(self, kind: str) -> str:
        secret = f"{CANARY}{kind}-{next(self._numbers):04d}-7f3a9c"
        self.secrets.add(secret)
        return secret

    def consent(self, authorize_url: str, **changes: str | None) -> dict[str, str]:
        back: dict[str, str | None] = {**super().consent(authorize_url), "code": self.new("code")}
        self._codes[str(back["code"])] = self._codes.popitem()[1]
        return {name: value for name, value in (back | changes).items() if value is not None}

    def _answer(self, path: str, handler: BaseHTTPRequestHandler, body: bytes) -> Page:
        form = {name: values[0] for name, values in parse_qs(body.decode()).items()}
        self.secrets.update(form[name] for name in ("code_verifier", "client_secret") if name in form)
        if path == f"{self.path}/register":
            self.registration_answer = {
                "client_secret": self.new("registered"),
                "token_endpoint_auth_method": "client_secret_post",
                "client_secret_expires_at": 0,
            }
        if path == f"{self.path}/token":
            self.seen.append(form.get("grant_type", ""))
            return self._tokens(form) or super()._answer(path, handler, body)
        if path == f"{self.path}/revoke":
            self.seen.append("revoke")
            return self._trouble(form) or as_json({})
        return super()._answer(path, handler, body)

    def _tokens(self, form: dict[str, str]) -> Page | None:
        if (trouble := self._trouble(form)) is not None:
            return trouble
        self.token_answer = {"access_token": self.new("access"), "refresh_token": self.new("refresh")}
        if form.get("grant_type") != "refresh_token":
            return None
        return as_json({"token_type": "Bearer", "expires_in": 3600, **self.token_answer})

    def _trouble(self, form: dict[str, Any]) -> Page | None:
        told = {"error_description": f"no, not {form}", "error_uri": f"https://example.com/?{form}"}
        if self.mood == "down":
            return as_json({"error": "server_error", **told}, 500)
        if self.mood == "over":
            return as_json({"error": "invalid_grant", **told}, 400)
        return None


def query_of(url: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
