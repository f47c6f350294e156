"""Secrets go through every act that takes one; no event holds any of them, in full or in its shape."""

from datetime import timedelta

import pytest

from connectors.access.agents import add_token, create_agent, revoke_token
from connectors.access.sign_in import make_sign_in_link
from connectors.audit.capture import open_content, seal_content
from connectors.audit.chain import verify_chain
from connectors.audit.models import AdminEvent
from connectors.authorization.accounts import disconnect
from connectors.authorization.complete import connect_account, reconnect_account
from connectors.catalogue.capture import set_capture
from connectors.catalogue.configuration import save_configuration
from connectors.catalogue.installation import inspect_package, install_package
from connectors.policy.grants import set_grant
from connectors.vault.secret import Secret
from tests.builders.logs import make_call
from tests.builders.packages import BEARER, ENDPOINT_FIELD, STATIC_AUTH, build_manifest, build_package
from tests.builders.people import make_administrator, make_user
from tests.fakes.mcp_server import McpServer

pytestmark = pytest.mark.django_db
FIRST, SECOND, ACCOUNT = "canary-1-5f0e", "canary-2-77aa", "canary-3-91bd"
SECRET_FIELD = {"key": "app_secret", "type": "secret", "label_key": "configuration.endpoint.label"}


@pytest.fixture
def server():
    with McpServer(key=("Authorization", f"Bearer {ACCOUNT}")) as server:
        yield server


def install(folder, server, admin):
    manifest = build_manifest(configuration={"fields": [ENDPOINT_FIELD, SECRET_FIELD]}, auth=STATIC_AUTH)
    manifest["runtime"]["options"]["credential_binding"] = BEARER
    archive = build_package(folder / "package.zip", manifest=manifest)
    return install_package(
        archive=archive,
        expected_sha256=inspect_package(archive).archive_sha256,
        raw_configuration={"endpoint": server.url, "app_secret": FIRST},
        actor=admin,
    )


def test_no_event_of_any_act_holds_a_secret(tmp_path, settings, server):
    settings.OBJECT_STORE_DIR = tmp_path / "objects"
    admin, ann = make_administrator(), make_user("ann")
    connector = install(tmp_path, server, admin)
    save_configuration(
        connector=connector, raw={"endpoint": server.url, "app_secret": SECOND}, expected_revision=1, actor=admin
    )
    connector.refresh_from_db()
    type(connector).objects.filter(pk=connector.pk).update(status="published")
    connection = connect_account(person=ann, connector=connector, raw_credentials={"api_key": ACCOUNT})
    reconnect_account(connection=connection, raw_credentials={"api_key": ACCOUNT})
    agent, first = create_agent(owner=ann, name="Agent")
    token, second = add_token(agent=agent)
    set_grant(agent=agent, connection=connection, breadth="all", access="read_only", actor=ann)
    revoke_token(token=token)
    link = make_sign_in_link(user=ann, lifetime=timedelta(hours=1), actor=admin)
    set_capture(connector=connector, days=3, actor=admin)
    call = make_call(ann, connection=connection, captured=True)
    seal_content(
        call_id=call.pk,
        connector_key=connector.key,
        days=3,
        arguments=FIRST.encode(),
        result=b"",
        secrets=[Secret(FIRST)],
    ).save(force_insert=True)
    open_content(call=call, actor=admin)
    disconnect(connection=connection, actor=ann)

    told = str(list(AdminEvent.objects.values()))
    acts = set(AdminEvent.objects.values_list("act", flat=True))
    assert acts >= {
        "connector_installed", "configuration_saved", "account_connected", "account_reconnected", "agent_created",
        "token_added", "grant_set", "token_revoked", "sign_in_link_made", "capture_set", "content_viewed",
        "account_disconnected",
    }  # fmt: skip
    for secret in (FIRST, SECOND, ACCOUNT, first, second, link):
        assert secret not in told
        assert secret[:-4] not in told
    assert verify_chain().ok
