"""Configuration: secrets are write-only and stay where they were given for; two editors never overwrite each other."""

import pytest

from connectors.audit.models import AdminEvent
from connectors.catalogue.configuration import open_configuration, save_configuration
from connectors.catalogue.configuration_changes import changes_since
from connectors.catalogue.models import ConfigurationSecret
from connectors.errors import Conflict, Invalid, NotFound
from connectors.vault.sealing import SealedValueMisplaced
from connectors.vault.secret import Secret
from tests.builders.connectors import make_connector, make_manifest
from tests.builders.people import make_administrator

pytestmark = pytest.mark.django_db

HERE = "https://tools.example.com/mcp"
FIELDS = [
    {"key": "endpoint", "type": "url", "label_key": "endpoint", "required": True},
    {"key": "app_secret", "type": "secret", "label_key": "token", "required": True},
    {"key": "proxy_secret", "type": "secret", "label_key": "token"},
    {"key": "page_size", "type": "integer", "label_key": "token", "default": 20},
]


@pytest.fixture
def connector():
    manifest = make_manifest("configured")
    manifest["configuration"]["fields"] = FIELDS
    return make_connector(
        "configured",
        manifest=manifest,
        configuration={"endpoint": HERE, "page_size": 20},
        secrets={"app_secret": "app-canary", "proxy_secret": "proxy-canary"},
    )


def save(connector, raw, *, cleared=(), revision=1, actor=None):
    return save_configuration(
        connector=connector, raw=raw, cleared=cleared, expected_revision=revision, actor=actor or make_administrator()
    )


def faults(error):
    return {(fault.code, fault.where) for fault in error.value.faults}


def test_values_are_saved_and_the_revision_rises(connector):
    saved = save(connector, {"endpoint": HERE, "page_size": "50"})
    assert saved.configuration == {"endpoint": HERE, "page_size": 50}
    assert saved.configuration_revision == 2


def test_a_secret_left_blank_stays_and_one_typed_is_replaced(connector):
    save(connector, {"endpoint": HERE, "app_secret": "", "proxy_secret": "new-canary"})
    assert open_configuration(connector).secrets == {
        "app_secret": Secret("app-canary"),
        "proxy_secret": Secret("new-canary"),
    }


def test_an_optional_secret_is_cleared_and_a_required_one_is_not(connector):
    save(connector, {"endpoint": HERE}, cleared=["proxy_secret"])
    assert open_configuration(connector).secrets.keys() == {"app_secret"}
    with pytest.raises(Invalid) as caught:
        save(connector, {"endpoint": HERE}, cleared=["app_secret", "endpoint"], revision=2)
    assert faults(caught) == {("secret_not_clearable", "app_secret"), ("secret_not_clearable", "endpoint")}


def test_all_faults_come_at_once_and_nothing_changes(connector):
    with pytest.raises(Invalid) as caught:
        save(connector, {"endpoint": "nowhere", "page_size": "many"}, cleared=["app_secret"])
    assert {where for _code, where in faults(caught)} == {"endpoint", "page_size", "app_secret"}
    connector.refresh_from_db()
    assert connector.configuration_revision == 1


def test_the_same_values_again_change_nothing(connector):
    assert save(connector, {"endpoint": HERE, "page_size": "20"}).configuration_revision == 1
    assert not AdminEvent.objects.exists()


def test_a_kept_secret_does_not_follow_the_address_to_another_origin(connector):
    elsewhere = "https://elsewhere.example.com/mcp"
    with pytest.raises(Invalid) as caught:
        save(connector, {"endpoint": elsewhere})
    assert faults(caught) == {("secret_needed_again", "app_secret"), ("secret_needed_again", "proxy_secret")}
    saved = save(connector, {"endpoint": elsewhere, "app_secret": "for-elsewhere"}, cleared=["proxy_secret"])
    assert open_configuration(saved).secrets == {"app_secret": Secret("for-elsewhere")}


def test_another_path_of_the_same_origin_keeps_the_secrets(connector):
    saved = save(connector, {"endpoint": HERE + "/v2"})
    assert open_configuration(saved).secrets.keys() == {"app_secret", "proxy_secret"}


def test_the_second_editor_is_told_who_changed_what(connector):
    admin = make_administrator("mei", display_name="Mei")
    save(connector, {"endpoint": HERE, "page_size": "50", "app_secret": "x"}, actor=admin)
    with pytest.raises(Conflict) as caught:
        save(connector, {"endpoint": HERE, "page_size": "10"})
    assert caught.value.code == "configuration_changed"
    assert caught.value.parameters["by"] == "Mei"
    assert caught.value.parameters["fields"] == ["app_secret", "page_size"]
    connector.refresh_from_db()
    assert connector.configuration["page_size"] == 50


def test_the_event_says_what_changed_and_never_a_secret(connector):
    save(connector, {"endpoint": HERE, "page_size": "50", "app_secret": "new-canary"}, cleared=["proxy_secret"])
    event = AdminEvent.objects.get()
    assert event.before == {
        "revision": 1,
        "configuration": {"page_size": 20},
        "secrets": {"app_secret": "set", "proxy_secret": "set"},
    }
    assert event.after == {
        "revision": 2,
        "configuration": {"page_size": 50},
        "secrets": {"app_secret": "replaced", "proxy_secret": "cleared"},
    }


def test_a_moved_endpoint_changes_the_fingerprint_where_a_credential_is_sent():
    connector = make_connector(static=True)
    before = connector.authorization_fingerprint
    assert save(connector, {"endpoint": HERE}).authorization_fingerprint != before


def test_a_secret_does_not_open_in_another_row(connector):
    one, other = ConfigurationSecret.objects.order_by("field")
    ConfigurationSecret.objects.filter(pk=one.pk).update(sealed=other.sealed)
    with pytest.raises(SealedValueMisplaced):
        open_configuration(connector)


def test_a_removed_connector_is_not_found(connector):
    connector.secrets.all().delete()
    copy = type(connector).objects.get(pk=connector.pk)
    connector.delete()
    with pytest.raises(NotFound):
        save(copy, {"endpoint": HERE})


def test_an_open_configuration_shows_no_secret(connector):
    assert "canary" not in repr(open_configuration(connector))


def test_the_second_editor_can_be_told_each_field_with_what_it_was_and_is(connector):
    mei, tom = make_administrator("mei", display_name="Mei"), make_administrator("tom", display_name="Tom")
    save(connector, {"endpoint": HERE, "page_size": "50"}, actor=mei)
    save(connector, {"endpoint": HERE + "/v2", "page_size": "60", "app_secret": "x"}, revision=2, actor=tom)
    assert [(one.field, one.secret, one.before, one.after, one.by) for one in changes_since(connector, 1)] == [
        ("app_secret", True, "set", "replaced", "Tom"),
        ("endpoint", False, HERE, HERE + "/v2", "Tom"),
        ("page_size", False, 20, 60, "Tom"),
    ]
    assert [one.field for one in changes_since(connector, 2)] == ["app_secret", "endpoint", "page_size"]
    assert changes_since(connector, 3) == ()


def test_a_field_that_was_changed_back_is_not_told(connector):
    save(connector, {"endpoint": HERE, "page_size": "50"})
    save(connector, {"endpoint": HERE, "page_size": "20"}, revision=2)
    assert changes_since(connector, 1) == ()
