"""A program package whose tools do what their arguments say, and a person with an agent that may use them."""

from pathlib import Path
from typing import Any

from connectors.authorization.complete import connect_account
from connectors.catalogue.configuration import save_configuration
from connectors.catalogue.installation import install_package
from connectors.catalogue.models import Connector
from connectors.catalogue.publication import publish_connector
from connectors.packages.inspection import inspect_package
from tests.builders.connectors import make_agent, make_grant
from tests.builders.packages import PROGRAM_AUTH, build_package, build_program_manifest
from tests.builders.people import make_administrator, make_user

FIELDS = [{"key": "api_key", "type": "secret", "label_key": "authorization.apiKey.label", "required": True}]
RULES = [
    {"tool": "find", "effect": "read", "retry": "safe"},
    {"tool": "book", "effect": "write", "retry": "never", "confirmation": "not_required"},
]
# A provider whose tools are told by their arguments what to do.
PROVIDER = """
import json, os, sys, time

request = json.load(sys.stdin)
context, operation = request["context"], request["operation"]

def tool(key, effect, **more):
    return {"key": key, "upstream_name": "up_" + key, "description": key, "input_schema": {"type": "object"},
            "effect": effect, "retry_policy": "safe" if effect == "read" else "never",
            "confirmation": "not_required", "source_revision": "1", **more}

def fail(code, message):
    error = {"code": code, "message": message, "retryable": False}
    print(json.dumps({"protocol_version": 1, "ok": False, "error": error}))
    sys.exit(0)

if operation == "configuration_validate":
    if context["configuration"]["public"]["endpoint"].endswith("wrong"):
        fail("bad_request", "there is no such service")
    result = {}
elif operation == "authorization_identity":
    result = {"identity": context["configuration"]["public"]["endpoint"]}
elif operation == "authorization_begin":
    result = {"type": "form"}
elif operation == "authorization_complete":
    key = context["submission"]["values"]["api_key"]
    if key == "wrong":
        fail("authorization_required", "this key does not work")
    result = {"external_account_id": "7", "external_account_name": "Ada", "granted_scopes": ["book"],
              "credential": {"values": {"token": "t-" + key}, "expires_at": "2036-09-08T12:00:00+00:00"},
              "public_metadata": {"intent": context["intent"]}}
elif operation == "tools_discover":
    result = {"tools": [tool("find", "read"), tool("book", BOOK_EFFECT)]}
else:
    arguments = context["arguments"]
    if "fail" in arguments:
        fail(arguments["fail"], "no, says " + context["credentials"]["token"])
    if "bell" in arguments:
        import socket
        bell = socket.create_connection(("127.0.0.1", arguments["bell"]))
        os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(60)", arguments["marker"]])
    if arguments.get("sleep"):
        time.sleep(60)
    seen = {name: context.get(name) for name in ("tool_name", "invocation_id", "credentials", "connection_metadata")}
    error = arguments.get("error")
    result = {"content": [{"type": "text", "text": "ok"}], "structured_content": seen,
              "is_error": bool(error), "error": error}
print(json.dumps({"protocol_version": 1, "ok": True, "result": result}))
"""


def install(archive: Path, raw: dict[str, str]) -> Connector:
    package = inspect_package(archive)
    actor = make_administrator()
    connector = install_package(
        archive=archive, expected_sha256=package.archive_sha256, raw_configuration=raw, actor=actor
    )
    publish_connector(connector=connector, actor=actor)
    return Connector.objects.select_related("version").get(pk=connector.pk)


def install_booking(folder: Path, *, provider: str = PROVIDER, book_effect: str = "write", **changes: Any) -> Connector:
    manifest = build_program_manifest(
        key="booking",
        tool_policy={"default": "deny", "rules": RULES},
        **{"auth": {**PROGRAM_AUTH, "fields": FIELDS}, **changes},
    )
    source = f"BOOK_EFFECT = {book_effect!r}\n{provider}"
    archive = build_package(folder / "booking.zip", manifest=manifest, files={"provider/main.py": source})
    return install(archive, {"endpoint": "https://booking.example.com/api"})


def configure(connector: Connector, endpoint: str) -> Connector:
    return save_configuration(connector=connector, raw={"endpoint": endpoint}, expected_revision=1, actor=None)


class Booked:
    """A person with an agent that may use everything of the booking connector."""

    def __init__(self, gateway: Any, connector: Connector, **raw: str) -> None:
        self.owner = make_user()
        self.connector = connector
        self.connection = connect_account(person=self.owner, connector=connector, raw_credentials=raw)
        agent, token = make_agent(self.owner)
        make_grant(agent, self.connection)
        self.gateway = gateway.holding(token)

    def call(self, name: str, arguments: dict[str, Any] | None = None, **meta: Any) -> Any:
        return self.gateway.call(name, arguments, **meta).result
