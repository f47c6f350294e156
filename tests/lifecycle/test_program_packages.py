"""A package with a program is asked before it takes over: nothing of it runs for a preview, a no changes nothing (§8, §9)."""

import pytest

from connectors.authorization.accounts import effective_state
from connectors.catalogue.models import Connector
from connectors.errors import Conflict, Failed, Invalid
from connectors.lifecycle.drain import start_drain
from connectors.lifecycle.models import Drain
from connectors.lifecycle.rollback import preview_rollback, roll_back
from connectors.lifecycle.update import preview_update
from tests.builders.connectors import make_connection
from tests.builders.packages import ENDPOINT_FIELD, build_program_manifest
from tests.builders.people import make_user
from tests.builders.versions import inspect, named_keys, stored_keys, update, update_change

pytestmark = pytest.mark.django_db
TOKEN = {"key": "token", "type": "secret", "label_key": "configuration.token.label"}
SOURCE = """
import json, sys
request = json.load(sys.stdin)
answers = {"configuration_validate": {}, "authorization_identity": {"identity": %r}}
refused = %r
if refused and request["operation"] == "configuration_validate":
    token = request["context"]["configuration"]["secret"].get("token", "none")
    error = {"code": "bad_request", "message": refused + " " + str(len(token)), "retryable": False}
    json.dump({"protocol_version": 1, "ok": False, "error": error}, sys.stdout)
else:
    json.dump({"protocol_version": 1, "ok": True, "result": answers[request["operation"]]}, sys.stdout)
"""


def program(identity="records.example.com", refused=""):
    return {"provider/main.py": SOURCE % (identity, refused)}


def document():
    return build_program_manifest(configuration={"fields": [ENDPOINT_FIELD, TOKEN]})


@pytest.fixture
def connector(workshop):
    values = {"endpoint": "https://tools.example.com/mcp", "token": "canary"}
    return workshop.install(document=document(), files=program(), values=values)


def test_the_same_identity_leaves_accounts_as_they_are(connector, workshop):
    account = make_connection(make_user(), connector)
    archive = workshop.pack("1.1.0", document=document(), files=program())
    preview = preview_update(package=inspect(archive))
    assert (preview.reauthorize, preview.reauthorize_certain) == (0, False)
    update(connector, archive, expected_reauthorize=0)
    account.refresh_from_db()
    assert effective_state(account) == "active"


def test_another_identity_is_told_before_anybody_is_sent_to_authorize_again(connector, workshop):
    account = make_connection(make_user(), connector)
    archive = workshop.pack("1.1.0", document=document(), files=program("other.example.com"))
    preview = preview_update(package=inspect(archive))
    with pytest.raises(Conflict, match="reauthorization_differs") as caught:
        update(connector, archive, expected_reauthorize=preview.reauthorize)
    assert caught.value.parameters == {"expected": 0, "people": 1}
    assert stored_keys() == named_keys()

    update(connector, archive, expected_reauthorize=1)
    account = type(account).objects.get(pk=account.pk)
    assert effective_state(account) == "reauthorization_required"

    first = connector.version
    assert preview_rollback(connector=Connector.objects.get(), version=first).reauthorize == 0
    roll_back(connector=connector, version=first, actor=None)
    assert effective_state(type(account).objects.get(pk=account.pk)) == "active"


def test_a_program_that_does_not_accept_the_kept_values_is_no_update(connector, workshop):
    archive = workshop.pack("1.1.0", document=document(), files=program(refused="too short:"))
    with pytest.raises(Invalid) as caught:
        update(connector, archive)
    assert [(fault.code, fault.parameters) for fault in caught.value.faults] == [
        ("configuration_refused", {"message": "too short: 6"})
    ]
    assert Connector.objects.get().version.version == "1.0.0"
    assert stored_keys() == named_keys()


def test_a_program_that_breaks_is_no_update(connector, workshop):
    archive = workshop.pack("1.1.0", document=document(), files={"provider/main.py": "raise SystemExit(3)"})
    with pytest.raises(Failed):
        update(connector, archive)
    assert stored_keys() == named_keys()


def test_it_says_no_before_a_drain_begins(connector, workshop):
    archive = workshop.pack("1.1.0", document=document(), files=program(refused="not any more:"))
    with pytest.raises(Invalid):
        start_drain(connector=connector, change=update_change(archive), actor=None)
    assert not Drain.objects.exists()
    assert Connector.objects.get().transition == ""
    assert stored_keys() == named_keys()
