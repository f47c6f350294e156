"""A missing or wrong key is loud at start, and told apart (safety §33)."""

import shutil

import pytest
from django.apps.registry import Apps
from django.db import models

from connectors.catalogue.models import ConfigurationSecret
from connectors.vault import canaries, key_folder
from connectors.vault.errors import SealedValueDamaged, VaultKeyMissing, VaultKeyWrong
from connectors.vault.examination import examine_canaries
from connectors.vault.explanations import explain
from connectors.vault.fields import SealedField
from connectors.vault.key_ring import get_key_ring
from connectors.vault.models import KeyCanary
from connectors.vault.startup import ensure_canaries, exit_without_keys
from poco.celery import check_keys
from tests.vault.conftest import make_entry


@pytest.mark.django_db
def test_every_key_gets_a_canary_once(use_keys):
    use_keys("new", "old")
    ensure_canaries()
    before = list(KeyCanary.objects.values_list("key_id", "sealed"))
    ensure_canaries()
    assert list(KeyCanary.objects.values_list("key_id", "sealed")) == before
    assert examine_canaries() == {"new": None, "old": None}
    assert str(KeyCanary.objects.first()) in {"new", "old"}


@pytest.mark.django_db
def test_a_key_that_left_the_ring_is_missing(use_keys):
    use_keys("new", "old")
    ensure_canaries()
    use_keys("new")
    with pytest.raises(VaultKeyMissing) as error:
        ensure_canaries()
    assert "manage.py keys retire old" in explain(error.value)


@pytest.mark.django_db
def test_another_key_under_the_same_name_is_wrong(use_keys, settings):
    use_keys("one")
    ensure_canaries()
    settings.VAULT_KEYS = make_entry("one")
    with pytest.raises(VaultKeyWrong) as error:
        ensure_canaries()
    assert "one" in explain(error.value)


@pytest.mark.django_db
def test_a_canary_that_rotted_is_damaged_not_wrong(use_keys):
    use_keys("one")
    ensure_canaries()
    KeyCanary.objects.update(sealed=b"rotten")
    with pytest.raises(SealedValueDamaged) as error:
        ensure_canaries()
    assert explain(error.value)


@pytest.mark.django_db
def test_the_embedded_form_that_lost_its_folder_does_not_start_on_a_new_key(key_dir):
    ensure_canaries()
    shutil.rmtree(key_dir)
    with pytest.raises(VaultKeyWrong):
        ensure_canaries()


@pytest.mark.django_db
def test_of_two_processes_that_add_the_same_canary_the_second_checks_its_key_against_it(use_keys, settings):
    use_keys("one")
    ensure_canaries()
    canaries._add_canary(get_key_ring().active)
    settings.VAULT_KEYS = make_entry("one")
    with pytest.raises(VaultKeyWrong):
        canaries._add_canary(get_key_ring().active)


@pytest.mark.django_db
def test_a_new_key_of_the_folder_gets_its_canary(key_dir):
    ensure_canaries()
    key_folder.add_key(key_dir)
    ensure_canaries()
    assert set(examine_canaries()) == {"k0001", "k0002"}


def test_a_sealed_column_in_a_row_without_a_uuid_is_a_fault():
    class Row(models.Model):
        sealed = SealedField(bound_to=("id",))

        class Meta:
            app_label = "connectors"
            apps = Apps()

        def __str__(self) -> str:
            return ""

    assert [fault.id for fault in Row._meta.get_field("sealed").check()] == ["vault.E010"]
    assert ConfigurationSecret._meta.get_field("sealed").check() == []


def test_a_sealed_column_tells_migrations_what_it_is_bound_to():
    assert SealedField(bound_to=("a",)).deconstruct()[3] == {"bound_to": ("a",)}
    assert SealedField().deconstruct()[3] == {}


@pytest.mark.django_db
def test_worker_and_beat_do_not_start_without_the_keys(use_keys):
    use_keys("gone")
    ensure_canaries()
    use_keys("new")
    with pytest.raises(SystemExit, match="gone is missing"):
        check_keys()


@pytest.mark.django_db(transaction=True)
def test_a_process_starts_with_the_right_keys_and_only_then(use_keys):
    use_keys("one")
    exit_without_keys()
    use_keys()
    with pytest.raises(SystemExit, match="keys generate"):
        exit_without_keys()
