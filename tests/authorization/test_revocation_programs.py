"""Programs revoke what they issued; one whose service has invalidated it already is not asked (§8)."""

import pytest

from connectors.authorization.accounts import disconnect
from connectors.authorization.complete import connect_account, reconnect_account
from connectors.authorization.models import Connection, RevocationJob
from connectors.authorization.tasks import revoke_due
from tests.builders.booking import install_booking
from tests.builders.people import make_user
from tests.fakes.token_server import TokenServer

pytestmark = pytest.mark.django_db(transaction=True)
PROGRAM = {
    "protocol_version": 1,
    "runtime": "python",
    "entrypoint": "provider/main.py",
    "capabilities": ["credential_revoke"],
}
PROVIDER = """
import json, sys

request = json.load(sys.stdin)
context, operation = request["context"], request["operation"]
answer = {"ok": True, "result": {}}
if operation == "authorization_identity":
    answer["result"] = {"identity": "one"}
elif operation == "authorization_begin":
    answer["result"] = {"type": "form"}
elif operation == "authorization_complete":
    token = context["submission"]["values"]["api_key"]
    answer["result"] = {"external_account_id": "7", "credential": {"values": {"token": token}},
                        "invalidates_existing_credential": token.startswith("only")}
elif operation == "tools_discover":
    answer["result"] = {"tools": []}
elif operation == "credential_revoke":
    import urllib.parse, urllib.request
    form = {"token": context["credential"]["token"], "endpoint": context["configuration"]["public"]["endpoint"]}
    urllib.request.urlopen(SERVICE, urllib.parse.urlencode(form).encode(), timeout=10).read()
    code = {"dead": "authorization_required", "busy": "unavailable"}.get(context["credential"]["token"])
    if code:
        answer = {"ok": False, "error": {"code": code, "message": "no", "retryable": True}}
print(json.dumps({"protocol_version": 1, **answer}))
"""


@pytest.fixture
def service():
    with TokenServer() as running:
        yield running


@pytest.fixture
def connector(tmp_path, service):
    provider = f"SERVICE = {service.revocation_endpoint!r}\n{PROVIDER}"
    return install_booking(tmp_path, provider=provider, program=PROGRAM)


def connect(connector, key: str) -> Connection:
    return connect_account(person=make_user(), connector=connector, raw_credentials={"api_key": key})


def test_a_program_is_told_behind_the_disconnect(connector, service):
    connection = connect(connector, "first")
    disconnect(connection=connection, actor=connection.person)
    assert service.revoked == []

    assert revoke_due() == 1

    assert service.forms == [{"token": "first", "endpoint": "https://booking.example.com/api"}]
    assert not RevocationJob.objects.exists()


@pytest.mark.parametrize(("token", "done"), [("dead", True), ("busy", False)])
def test_a_credential_the_service_refuses_is_gone_and_a_busy_one_waits(connector, service, token, done):
    connection = connect(connector, token)
    disconnect(connection=connection, actor=connection.person)

    assert revoke_due() == int(done)
    assert RevocationJob.objects.exists() is not done
    assert service.revoked == [token]


@pytest.mark.parametrize(("second", "revoked"), [("other", ["first"]), ("only this", []), ("first", [])])
def test_reconnecting_revokes_the_old_credential_unless_that_is_done_already(connector, service, second, revoked):
    connection = connect(connector, "first")

    reconnect_account(connection=connection, raw_credentials={"api_key": second})

    revoke_due()
    assert service.revoked == revoked
