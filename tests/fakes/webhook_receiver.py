"""A receiver of webhooks on loopback, that checks signatures as the documentation tells it to."""

import base64
import hashlib
import hmac
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

FIVE_MINUTES = 300


class Receiver:
    """Takes webhooks on loopback and keeps what came; answers with `status`."""

    def __init__(self):
        self.received, self.status, self.headers = [], 204, {}
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                receiver.received.append((dict(self.headers.items()), body))
                self.send_response(receiver.status)
                for name, value in receiver.headers.items():
                    self.send_header(name, value)
                self.end_headers()

            def log_message(self, *_told):
                """Say nothing."""

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_exception):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join(5)


def is_signed(headers, body, secret):
    """As docs/operating.md has it: any `v1` signature of `id.timestamp.body` holds, in a message of five minutes at most."""
    told = {name.lower(): value for name, value in headers.items()}
    if abs(time.time() - int(told["webhook-timestamp"])) > FIVE_MINUTES:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{told['webhook-id']}.{told['webhook-timestamp']}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return any(hmac.compare_digest(expected, given) for given in told["webhook-signature"].split(" "))
