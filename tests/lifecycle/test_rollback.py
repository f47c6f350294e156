"""A roll back is an act of its own, to any installed version, under the checks of an update (contract.md)."""

import pytest

from connectors.audit.models import AdminEvent
from connectors.authorization.accounts import effective_state
from connectors.catalogue.models import Connector, PackageVersion
from connectors.errors import Conflict, Invalid, NotFound
from connectors.lifecycle.rollback import preview_rollback, roll_back
from connectors.lifecycle.update import preview_update
from connectors.lifecycle.version_change import Typed
from connectors.manifest.difference import Change
from connectors.packages.cache import PackageDamaged, drop_package
from connectors.packages.storage import get_object_store
from tests.builders.connectors import make_connection
from tests.builders.packages import ENDPOINT_FIELD, build_manifest, build_static_manifest
from tests.builders.people import make_administrator, make_user
from tests.builders.versions import ENDPOINT, inspect, named_keys, stored_keys, update

pytestmark = pytest.mark.django_db
REGION = {"key": "region", "type": "text", "label_key": "configuration.region.label", "required": True}


def installed(number):
    return PackageVersion.objects.get(key="records", version=number)


def back(connector, number, **arguments):
    actor = arguments.pop("actor", None)
    return roll_back(connector=connector, version=installed(number), typed=Typed(**arguments), actor=actor)


def test_the_connector_points_at_the_older_version_again_and_the_log_says_who(workshop):
    admin = make_administrator()
    connector = update(workshop.install(), workshop.pack("1.1.0"))
    rolled = back(connector, "1.0.0", actor=admin)
    assert (rolled.pk, rolled.version.version, rolled.configuration) == (connector.pk, "1.0.0", ENDPOINT)
    assert PackageVersion.objects.count() == 2
    assert stored_keys() == named_keys()
    event = AdminEvent.objects.get(act="connector_rolled_back")
    assert (event.actor_name, event.before["version"], event.after["version"]) == (admin.name, "1.1.0", "1.0.0")


def test_afterwards_the_higher_version_is_an_update_again_without_a_second_archive(workshop):
    archive = workshop.pack("1.1.0")
    connector = update(workshop.install(), archive)
    back(connector, "1.0.0")
    again = update(connector, archive)
    assert again.version == installed("1.1.0")
    assert len(stored_keys()) == 2


def test_raised_risk_needs_its_tick_on_the_way_back_as_well(workshop):
    fewer = build_manifest()["tool_policy"]["rules"][:2]
    archive = workshop.pack("1.1.0", tool_policy={"default": "deny", "rules": fewer})
    connector = update(workshop.install(), archive)
    risks = preview_rollback(connector=connector, version=installed("1.0.0")).raised
    assert risks == (Change("tool_added", "delete_record", "", "destructive"),)
    with pytest.raises(Conflict, match="risk_not_accepted"):
        back(connector, "1.0.0")
    assert back(connector, "1.0.0", accepted={risk.id for risk in risks}).version.version == "1.0.0"


def test_a_contract_that_comes_back_brings_old_authorizations_back(workshop):
    connector = workshop.install(document=build_static_manifest())
    old = make_connection(make_user(), connector)
    connector = update(
        connector, workshop.pack("2.0.0", document=build_static_manifest(authorization_contract_version="2"))
    )
    new = make_connection(make_user(), connector)
    preview = preview_rollback(connector=connector, version=installed("1.0.0"))
    assert (preview.reauthorize, preview.reauthorize_certain) == (1, True)
    back(connector, "1.0.0", expected_reauthorize=1)
    old.refresh_from_db()
    new.refresh_from_db()
    assert effective_state(old) == "active"
    assert (effective_state(new), new.grant_revision) == ("reauthorization_required", 2)


def test_a_field_the_older_version_requires_is_asked_for(workshop):
    connector = workshop.install(values=ENDPOINT | {"region": "eu"}, configuration={"fields": [ENDPOINT_FIELD, REGION]})
    connector = update(connector, workshop.pack("1.1.0"))
    assert preview_rollback(connector=connector, version=installed("1.0.0")).fields_needed == ("region",)
    with pytest.raises(Invalid):
        back(connector, "1.0.0")
    assert back(connector, "1.0.0", raw_configuration={"region": "us"}).configuration["region"] == "us"


def test_the_present_version_is_no_way_back(workshop):
    connector = workshop.install()
    assert preview_rollback(connector=connector, version=connector.version).refusal.code == "same_version"
    with pytest.raises(Conflict, match="same_version"):
        back(connector, "1.0.0")


def test_a_version_of_another_key_does_not_exist_here(workshop):
    connector, other = workshop.install(), workshop.install(key="others")
    with pytest.raises(NotFound, match="version_not_found"):
        roll_back(connector=connector, version=other.version, actor=None)


def test_an_archive_that_is_not_what_was_installed_is_found_before_the_way_back(workshop):
    connector = update(workshop.install(), workshop.pack("1.1.0"))
    first = installed("1.0.0")
    get_object_store().delete(first.object_key)
    drop_package(key=first.key, manifest_revision=first.manifest_revision)
    with pytest.raises(PackageDamaged):
        back(connector, "1.0.0")
    assert Connector.objects.get().version.version == "1.1.0"


def test_the_preview_names_what_an_update_drops_for_good_and_what_stays_empty_on_the_way_back(workshop):
    token = {"key": "token", "type": "secret", "label_key": "configuration.token.label"}
    old = workshop.pack("1.1.0", configuration={"fields": [ENDPOINT_FIELD]})
    fields = [ENDPOINT_FIELD, token, REGION]
    connector = workshop.install(
        values=ENDPOINT | {"token": "canary", "region": "eu"}, configuration={"fields": fields}
    )
    there = preview_update(package=inspect(old))
    assert (there.fields_dropped, there.secrets_dropped) == (("region", "token"), ("token",))
    update(connector, old)
    back_again = preview_rollback(connector=Connector.objects.get(), version=installed("1.0.0"))
    assert (back_again.fields_needed, back_again.fields_empty) == (("region",), ("token",))
    typed = Typed({"token": "typed", "region": "us"})
    filled = preview_rollback(connector=Connector.objects.get(), version=installed("1.0.0"), typed=typed)
    assert (filled.fields_needed, filled.fields_empty) == ((), ())
