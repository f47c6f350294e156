"""`manage.py keys`, as an operator meets it."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from connectors.audit.models import AdminEvent
from connectors.catalogue.models import ConfigurationSecret
from connectors.vault.key_ring import _parse_key
from connectors.vault.startup import ensure_canaries
from tests.vault.conftest import make_entry
from tests.vault.test_rotation import make_rows

pytestmark = pytest.mark.django_db


def keys(*arguments: str) -> str:
    out = StringIO()
    call_command("keys", *arguments, stdout=out)
    return out.getvalue()


def test_generate_prints_an_entry_that_works():
    name, _, material = keys("generate", "k9").strip().partition(":")
    assert _parse_key(name, material).name == "k9"


def test_status_lists_each_key_and_what_it_holds(use_keys):
    use_keys("old")
    make_rows(2)
    use_keys("new", "old")
    ensure_canaries()
    lines = {line.split()[0]: line for line in keys("status").splitlines()}
    assert "active" in lines["new"]
    assert "holds nothing" in lines["new"]
    assert "connectors.ConfigurationSecret.sealed 2" in lines["old"]


def test_status_names_missing_and_wrong_keys_and_damage(use_keys, settings):
    use_keys("new", "old", "gone")
    ensure_canaries()
    make_rows(1)
    ConfigurationSecret.objects.update(sealed=b"damaged")
    use_keys("new")
    settings.VAULT_KEYS += "," + make_entry("old")
    shown = keys("status")
    assert "MISSING" in shown
    assert "WRONG" in shown
    assert "1 damaged" in shown


def test_the_doctor_is_content_when_everything_opens(use_keys):
    use_keys("one")
    ensure_canaries()
    make_rows()
    assert "every value opens" in keys("doctor")


def test_the_doctor_names_every_key_and_value_that_is_not_right(use_keys):
    use_keys("one", "gone")
    ensure_canaries()
    row = make_rows(1)[0]
    ConfigurationSecret.objects.update(sealed=b"damaged")
    use_keys("one")
    out = StringIO()
    with pytest.raises(CommandError, match="2 problems"):
        call_command("keys", "doctor", stdout=out)
    assert "gone is missing" in out.getvalue()
    assert str(row.pk) in out.getvalue()


def test_rotate_and_retire_in_the_embedded_form(key_dir):
    ensure_canaries()
    make_rows()
    assert "3 sealed anew" in keys("rotate", "--new")
    assert "0 sealed anew, 3 already were" in keys("rotate")
    assert "retired/k0001.key" in keys("retire", "k0001")
    assert [path.name for path in key_dir.glob("*.key")] == ["k0002.key"]
    assert "every value opens" in keys("doctor")
    assert set(AdminEvent.objects.values_list("act", flat=True)) == {"vault_keys_rotated", "vault_key_retired"}


def test_keys_from_the_environment_are_added_and_taken_out_by_hand(use_keys):
    use_keys("old")
    ensure_canaries()
    make_rows()
    with pytest.raises(CommandError, match="POCO_VAULT_KEYS"):
        keys("rotate", "--new")
    use_keys("new", "old")
    assert "3 sealed anew" in keys("rotate")
    assert "Take old out of POCO_VAULT_KEYS" in keys("retire", "old")


def test_rotate_ends_with_an_error_while_something_does_not_open(use_keys):
    use_keys("one")
    make_rows(1)
    ConfigurationSecret.objects.update(sealed=b"damaged")
    with pytest.raises(CommandError, match="Not everything"):
        keys("rotate")


def test_retire_says_why_it_refuses(use_keys):
    use_keys("old")
    make_rows(1)
    use_keys("new", "old")
    for name, why in (("new", "active key"), ("old", "still holds"), ("never", "no key named")):
        with pytest.raises(CommandError, match=why):
            keys("retire", name)
    assert not AdminEvent.objects.exists()


@pytest.mark.parametrize("act", ["status", "doctor", "rotate"])
def test_without_a_ring_the_command_says_what_to_do(settings, act):
    settings.VAULT_KEYS, settings.VAULT_KEY_DIR = "", None
    with pytest.raises(CommandError, match="keys generate"):
        keys(act)


def test_a_missing_key_does_not_keep_the_command_from_running(use_keys):
    use_keys("gone")
    ensure_canaries()
    use_keys("new")
    with pytest.raises(CommandError, match="gone is missing"):
        keys("rotate")
    assert "Retired" in keys("retire", "gone", "--lost")
