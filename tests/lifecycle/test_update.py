"""An update keeps what people rely on, asks for what is new, and is refused whole (handbook §9)."""

import pytest

from connectors.access.models import Epoch
from connectors.audit.models import AdminEvent
from connectors.authorization.accounts import effective_state
from connectors.catalogue.configuration import open_configuration
from connectors.catalogue.models import Connector, PackageVersion
from connectors.errors import Conflict, Invalid
from connectors.lifecycle.preview import people_to_reauthorize
from connectors.lifecycle.update import preview_update, update_connector
from connectors.manifest.difference import Change
from connectors.vault.secret import Secret
from tests.builders.attempts import make_attempt
from tests.builders.connectors import make_connection
from tests.builders.packages import ENDPOINT_FIELD, build_manifest, build_static_manifest
from tests.builders.people import make_administrator, make_user
from tests.builders.versions import ENDPOINT, inspect, named_keys, stored_keys, update

pytestmark = pytest.mark.django_db
REGION = {"key": "region", "type": "text", "label_key": "configuration.region.label"}
TOKEN = {"key": "token", "type": "secret", "label_key": "configuration.token.label"}
NEW_TOOL = {"tool": "list_records", "effect": "read", "retry": "safe"}
RULES = build_manifest()["tool_policy"]["rules"]


def fields(*declared):
    return {"fields": [ENDPOINT_FIELD, *declared]}


def test_everything_people_rely_on_stays(workshop):
    connector = workshop.install()
    Connector.objects.update(position=7)
    connection = make_connection(make_user(), connector)
    epoch = Epoch.objects.get(scope="catalogue").value
    admin = make_administrator()

    updated = update(connector, workshop.pack("1.1.0"), actor=admin)

    assert (updated.pk, updated.position, updated.status) == (connector.pk, 7, "published")
    assert (updated.version.version, updated.version.installed_by) == ("1.1.0", admin)
    assert (updated.configuration, updated.configuration_revision) == (ENDPOINT, 1)
    connection.refresh_from_db()
    assert (effective_state(connection), connection.grant_revision) == ("active", 1)
    assert Epoch.objects.get(scope="catalogue").value == epoch + 1
    assert PackageVersion.objects.count() == 2
    assert stored_keys() == named_keys()


def test_a_field_that_is_gone_is_cleared_and_so_is_its_secret(workshop):
    connector = workshop.install(
        values=ENDPOINT | {"region": "eu", "token": "canary"}, configuration=fields(REGION, TOKEN)
    )
    updated = update(connector, workshop.pack("1.1.0"))
    assert open_configuration(updated).public == ENDPOINT
    assert open_configuration(updated).secrets == {}
    assert updated.configuration_revision == 2
    event = AdminEvent.objects.get(act="connector_updated")
    assert event.before == {
        "version": "1.0.0",
        "revision": 1,
        "configuration": {"region": "eu"},
        "secrets": {"token": "set"},
    }
    assert event.after["secrets"] == {"token": "cleared"}
    assert event.after["configuration"] == {"region": None}
    assert "canary" not in str(AdminEvent.objects.values())


def test_what_is_still_declared_is_kept_and_what_is_newly_required_is_asked_for(workshop):
    connector = workshop.install(values=ENDPOINT | {"token": "canary"}, configuration=fields(TOKEN))
    archive = workshop.pack("1.1.0", configuration=fields(TOKEN, REGION | {"required": True}))
    preview = preview_update(package=inspect(archive))
    assert (preview.fields_kept, preview.fields_dropped, preview.fields_needed) == (
        ("endpoint", "token"),
        (),
        ("region",),
    )

    with pytest.raises(Invalid) as caught:
        update(connector, archive)
    assert [(fault.code, fault.where) for fault in caught.value.faults] == [("value_required", "region")]
    assert stored_keys() == named_keys()

    updated = update(connector, archive, raw_configuration={"region": "eu", "token": ""})
    assert open_configuration(updated).public == ENDPOINT | {"region": "eu"}
    assert open_configuration(updated).secrets == {"token": Secret("canary")}


def test_a_value_that_no_longer_fits_is_asked_for_again(workshop):
    connector = workshop.install(values=ENDPOINT | {"region": "europe"}, configuration=fields(REGION))
    archive = workshop.pack("1.1.0", configuration=fields(REGION | {"max_length": 2}))
    assert preview_update(package=inspect(archive)).fields_needed == ("region",)
    assert update(connector, archive, raw_configuration={"region": "eu"}).configuration["region"] == "eu"


def test_a_secret_never_becomes_a_public_value(workshop):
    connector = workshop.install(values=ENDPOINT | {"token": "canary"}, configuration=fields(TOKEN))
    updated = update(connector, workshop.pack("1.1.0", configuration=fields(TOKEN | {"type": "text"})))
    assert updated.configuration == ENDPOINT
    assert not updated.secrets.exists()


def test_a_kept_secret_does_not_follow_an_address_that_moves(workshop):
    connector = workshop.install(values=ENDPOINT | {"token": "canary"}, configuration=fields(TOKEN))
    elsewhere = {"endpoint": "https://elsewhere.example/mcp"}
    archive = workshop.pack("1.1.0", configuration=fields(TOKEN))
    with pytest.raises(Invalid) as caught:
        update(connector, archive, raw_configuration=elsewhere)
    assert [(fault.code, fault.where) for fault in caught.value.faults] == [("secret_needed_again", "token")]
    assert update(connector, archive, raw_configuration=elsewhere | {"token": "new"}).configuration == elsewhere


def test_only_a_changed_contract_sends_people_to_authorize_again_and_the_preview_counts_them(workshop):
    connector = workshop.install(document=build_static_manifest())
    people = [make_user() for _ in range(3)]
    connections = [make_connection(person, connector) for person in people]
    make_connection(people[0], connector, alias="second")
    make_connection(make_user(), connector, state="reauthorization_required")
    make_connection(make_user(), connector, authorization_fingerprint="0" * 64)

    plain = workshop.pack("1.1.0", document=build_static_manifest())
    assert preview_update(package=inspect(plain)).reauthorize == 0
    update(connector, plain, expected_reauthorize=0)
    connections[0].refresh_from_db()
    assert (effective_state(connections[0]), connections[0].grant_revision) == ("active", 1)

    archive = workshop.pack("2.0.0", document=build_static_manifest(authorization_contract_version="2"))
    preview = preview_update(package=inspect(archive))
    assert (preview.reauthorize, preview.reauthorize_certain) == (3, True)
    assert set(people_to_reauthorize(connector)) == set(people)
    update(connector, archive, expected_reauthorize=preview.reauthorize)
    connections[0].refresh_from_db()
    assert (effective_state(connections[0]), connections[0].grant_revision) == ("reauthorization_required", 2)
    assert AdminEvent.objects.filter(act="connector_updated").first().after["reauthorize"] == 3


def test_more_people_than_were_shown_change_nothing(workshop):
    connector = workshop.install(document=build_static_manifest())
    make_connection(make_user(), connector)
    archive = workshop.pack("2.0.0", document=build_static_manifest(authorization_contract_version="2"))
    with pytest.raises(Conflict, match="reauthorization_differs") as caught:
        update(connector, archive, expected_reauthorize=0)
    assert caught.value.parameters == {"expected": 0, "people": 1}
    assert Connector.objects.get().version.version == "1.0.0"
    assert stored_keys() == named_keys()
    assert update(connector, archive, expected_reauthorize=2).version.version == "2.0.0"


def test_attempts_nobody_submitted_are_cancelled_and_wiped(workshop):
    connector = workshop.install()
    pending = make_attempt(connector, make_user())
    update(connector, workshop.pack("1.1.0"))
    pending.refresh_from_db()
    assert (pending.status, pending.sealed) == ("cancelled", None)


def test_each_raised_risk_needs_its_own_tick(workshop):
    connector = workshop.install()
    raised = [{**RULES[0], "effect": "write", "retry": "never", "confirmation": "not_required"}, *RULES[1:], NEW_TOOL]
    archive = workshop.pack("1.1.0", tool_policy={"default": "deny", "rules": raised})
    risks = preview_update(package=inspect(archive)).raised
    assert risks == (
        Change("effect_raised", "search_records", "read", "write"),
        Change("tool_added", "list_records", "", "read"),
    )
    with pytest.raises(Conflict, match="risk_not_accepted") as caught:
        update(connector, archive, accepted={risks[0].id})
    assert caught.value.parameters["count"] == 1
    updated = update(connector, archive, accepted={risk.id for risk in risks})
    assert updated.version.version == "1.1.0"


def test_what_is_no_update_says_why(workshop):
    connector = workshop.install("1.2.0")
    same = workshop.pack("1.2.0")
    attempts = {
        "same_version": same,
        "version_has_other_content": workshop.pack("1.2.0", files={"assets/more.txt": "x"}),
        "version_not_higher": workshop.pack("1.1.9"),
        "package_key_differs": workshop.pack("2.0.0", key="others"),
    }
    for code, archive in attempts.items():
        with pytest.raises(Conflict, match=code):
            update(connector, archive)
    assert preview_update(package=inspect(same)).refusal.code == "same_version"
    assert Connector.objects.get().version.version == "1.2.0"
    assert stored_keys() == named_keys()


def test_an_archive_other_than_the_one_that_was_shown_is_refused(workshop):
    connector = workshop.install()
    with pytest.raises(Conflict, match="package_changed"):
        update_connector(connector=connector, archive=workshop.pack("1.1.0"), expected_sha256="0" * 64, actor=None)


def test_a_configuration_saved_since_it_was_shown_is_a_conflict(workshop):
    connector = workshop.install()
    with pytest.raises(Conflict, match="configuration_changed"):
        update(connector, workshop.pack("1.1.0"), expected_revision=connector.configuration_revision + 1)


def test_a_category_follows_the_manifest_unless_it_was_chosen(workshop):
    presentation = build_manifest()["presentation"]
    connector = workshop.install()
    moved = update(connector, workshop.pack("1.1.0", presentation=presentation | {"category": "research"}))
    assert moved.category.key == "research"
    Connector.objects.update(category_overridden=True)
    kept = update(connector, workshop.pack("1.2.0"))
    assert kept.category.key == "research"


def test_a_needed_field_that_cannot_decide_it_leaves_the_count_certain(workshop):
    connector = workshop.install(document=build_static_manifest())
    make_connection(make_user(), connector)
    plain = build_static_manifest(configuration=fields(REGION | {"required": True}))
    preview = preview_update(package=inspect(workshop.pack("1.1.0", document=plain)))
    assert (preview.fields_needed, preview.reauthorize, preview.reauthorize_certain) == (("region",), 0, True)

    other = build_static_manifest(configuration={"fields": [ENDPOINT_FIELD | {"max_length": 5}]})
    preview = preview_update(package=inspect(workshop.pack("1.2.0", document=other)))
    assert (preview.fields_needed, preview.reauthorize, preview.reauthorize_certain) == (("endpoint",), 1, False)
