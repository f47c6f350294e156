"""What Test connection says: it calls a way good only when it is, and tells who configures it what to mend."""

import re
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.builders.packages import build_package, build_static_manifest
from tests.builders.people import make_administrator
from tests.fakes.mcp_server import McpServer

pytestmark = pytest.mark.django_db
AS_IT_SHOULD = "it wants to know who is asking"
NOT_YET = "It does not work yet"


@pytest.fixture
def run_test(tmp_path, settings):
    settings.OBJECT_STORE_DIR = tmp_path / "objects"
    admin = Client()
    admin.force_login(make_administrator())
    archive = build_package(tmp_path / "records.zip", manifest=build_static_manifest())
    content = SimpleUploadedFile("records.zip", archive.read_bytes())
    preview = admin.post("/install/", {"package": content})["Location"]

    def run(endpoint: str, **typed: str) -> str:
        answer = admin.post(f"{preview}test/", {"endpoint": endpoint, **typed}, headers={"HX-Target": "test-report"})
        return re.sub(r"\s+", " ", answer.content.decode())

    return run


@pytest.fixture
def keyed():
    with McpServer(key=("Authorization", "Bearer right")) as server:
        yield server


@pytest.fixture
def web_server():
    """A web server that is no MCP server: it answers every request with the status its path names."""

    class Answer(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(int(self.path.strip("/")))
            self.send_header("Content-Length", "0")
            self.send_header("Location", "http://169.254.169.254/")
            self.end_headers()

        do_GET = do_DELETE = do_POST  # noqa: N815 - names of the standard library's

        def log_message(self, *_arguments):
            pass

    server = HTTPServer(("127.0.0.1", 0), Answer)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_without_an_account_a_server_that_asks_for_one_is_as_far_as_it_goes(run_test, keyed):
    page = run_test(keyed.url)
    assert AS_IT_SHOULD in page
    assert "stage-failed" not in page
    assert "refused the credential" not in page


def test_a_key_the_server_refuses_is_not_as_it_should_be(run_test, keyed):
    page = run_test(keyed.url, **{"one_off-api_key": "wrong"})
    assert AS_IT_SHOULD not in page
    assert NOT_YET in page
    assert "refused the credential" in page


@pytest.mark.parametrize("status", [404, 500, 503, 302])
def test_a_server_that_answers_something_else_does_not_work(run_test, web_server, status):
    page = run_test(f"{web_server}/{status}")
    assert AS_IT_SHOULD not in page
    assert NOT_YET in page
    assert "Ask an administrator" not in page


@pytest.mark.parametrize("address", ["http://169.254.169.254/mcp", "http://10.1.2.3/mcp"])
def test_an_address_that_may_not_be_called_says_so(run_test, address):
    page = run_test(address)
    assert "is one this console may not call" in page
    assert "could not be found" not in page


def test_who_configures_it_is_not_sent_to_an_administrator(run_test):
    page = run_test("https://no-such-host.invalid/mcp")
    assert "Check the address you typed." in page
    assert "Ask an administrator" not in page
