"""A believable service behind the example programs: real HTTP on loopback, with an OAuth server in it."""

import base64
import hashlib
import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit


class Service(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    requests = []
    challenge = ""
    mood = ""

    def log_message(self, *_args):
        pass

    def do_GET(self):
        self.respond()

    def do_POST(self):
        self.respond()

    def do_PUT(self):
        self.respond()

    def respond(self):
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length).decode()
        path = urlsplit(self.path).path
        self.requests.append((self.command, self.path, dict(self.headers), body))
        if self.mood == "silent" and self.command != "GET":
            self.close_connection = True
            return
        status, answer = self.answer(path, body)
        data = json.dumps(answer).encode() if self.mood != "html" else b"<html>"
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def answer(self, path, body):
        if path == "/oauth/token":
            return self.token({key: values[0] for key, values in parse_qs(body).items()})
        if path == "/oauth/revoke":
            return (500, {}) if self.mood == "busy" else (200, {})
        if self.headers.get("Authorization") not in {"Bearer good", "Bearer good-2"}:
            return 401, {}
        if self.mood == "busy":
            return 429, {}
        return PAGES.get((self.command, path), (404, {}))

    def token(self, form):
        if form["grant_type"] == "refresh_token":
            return (200, {"access_token": "good-2", "expires_in": 60}) if form["refresh_token"] == "r1" else (400, {})
        digest = hashlib.sha256(form["code_verifier"].encode()).digest()
        if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != type(self).challenge:
            return 400, {"error": "invalid_grant"}
        return 200, {"access_token": "good", "refresh_token": "r1", "expires_in": 3600, "scope": "tickets.read"}


ITEM = {"number": "B-1", "name": "Bolt", "stock": 7, "shelf": "A3"}
TICKET = {"id": 7, "status": "open", "subject": "Login", "comments": [{"author": "Ada", "text": "It fails"}]}
PAGES = {
    ("GET", "/api/me"): (200, {"id": 42, "name": "Ada", "workspace": "north"}),
    ("GET", "/api/items"): (200, {"items": [ITEM]}),
    ("GET", "/api/items/B-1"): (200, ITEM),
    ("POST", "/api/items/B-1/movements"): (200, {"stock": 5}),
    ("GET", "/api/tickets"): (200, {"tickets": [TICKET]}),
    ("GET", "/api/tickets/7"): (200, TICKET),
    ("POST", "/api/tickets/7/comments"): (200, {"id": 1}),
    ("PUT", "/api/tickets/7/assignee"): (200, {}),
    ("POST", "/api/tickets/7/close"): (409, {}),
}


@contextmanager
def serve():
    """The handler class (its `requests`, `challenge` and `mood` are this run's own) and its address."""
    handler = type("OneService", (Service,), {"requests": [], "challenge": "", "mood": ""})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield handler, f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
