"""Keys are changed while everything runs (safety §32), and one damaged value hurts nobody else (§33)."""

import threading
from contextlib import contextmanager

import pytest
from django.db import IntegrityError, connection, connections

from connectors.catalogue.models import ConfigurationSecret
from connectors.errors import Conflict, NotFound
from connectors.vault.canaries import ensure_canaries
from connectors.vault.errors import CannotOpen, SealedValueDamaged, SealedValueMisplaced, VaultKeyMissing
from connectors.vault.examination import count_uses, examine_canaries, examine_values
from connectors.vault.fields import place_of
from connectors.vault.models import KeyCanary
from connectors.vault.retirement import retire_key
from connectors.vault.rotation import rotate_values
from connectors.vault.sealed_columns import BATCH, list_sealed_columns
from connectors.vault.sealing import key_name_of, open_sealed, seal
from connectors.vault.secret import Secret
from tests.builders.connectors import make_connector

COLUMN = "connectors.ConfigurationSecret.sealed"


def make_rows(count=3):
    connector = make_connector()
    rows = [ConfigurationSecret(connector=connector, field=f"f{number}") for number in range(count)]
    for row in rows:
        row.sealed = seal(Secret(row.field), place=place_of(row))
    return ConfigurationSecret.objects.bulk_create(rows)


def open_all():
    rows = ConfigurationSecret.objects.all()
    return {row.field: open_sealed(row.sealed, place=place_of(row)).reveal() for row in rows}


def keys_in_use():
    return {key_name_of(row.sealed) for row in ConfigurationSecret.objects.all()}


@contextmanager
def trigger(statement):
    """Let SQLite do something at the very moment a row is written."""
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE TRIGGER test_trigger BEFORE UPDATE ON connectors_configurationsecret {statement}")
        try:
            yield
        finally:
            cursor.execute("DROP TRIGGER test_trigger")


on_sqlite = pytest.mark.skipif(connection.vendor != "sqlite", reason="its triggers are written for SQLite")


@pytest.mark.django_db
def test_every_sealed_column_of_every_room_is_found():
    assert {column.label for column in list_sealed_columns()} == {
        COLUMN,
        "connectors.AuthorizationSession.sealed",
        "connectors.CapturedContent.arguments",
        "connectors.CapturedContent.result",
        "connectors.Credential.grant",
        "connectors.Credential.sealed",
        "connectors.DigestWebhook.sealed",
        "connectors.Drain.sealed",
        "connectors.RegisteredClient.sealed",
        "connectors.RevocationJob.sealed",
    }


@pytest.mark.django_db
def test_rotation_seals_everything_with_the_active_key_and_touches_nothing_else(use_keys):
    use_keys("old")
    make_rows()
    before = list(ConfigurationSecret.objects.values_list("pk", "set_at"))
    use_keys("new", "old")
    done = rotate_values()
    assert (done.resealed, done.already_active, done.changed_meanwhile, done.problems) == (3, 0, 0, [])
    assert keys_in_use() == {"new"}
    assert list(ConfigurationSecret.objects.values_list("pk", "set_at")) == before
    use_keys("new")
    assert open_all() == {"f0": "f0", "f1": "f1", "f2": "f2"}
    assert rotate_values().already_active == 3


@on_sqlite
@pytest.mark.django_db
def test_a_rotation_that_dies_half_way_is_simply_run_again(use_keys):
    use_keys("old")
    rows = make_rows(BATCH + 50)
    use_keys("new", "old")
    late = sorted(rows, key=lambda row: row.pk)[BATCH + 10].field
    power_cut = f"WHEN OLD.field = '{late}' BEGIN SELECT RAISE(ABORT, 'power cut'); END"
    with trigger(power_cut), pytest.raises(IntegrityError):
        rotate_values()
    assert keys_in_use() == {"new", "old"}
    assert len(open_all()) == BATCH + 50
    done = rotate_values()
    assert (done.resealed, done.already_active) == (50, BATCH)
    assert keys_in_use() == {"new"}


@on_sqlite
@pytest.mark.django_db
def test_a_value_written_meanwhile_is_kept(use_keys):
    use_keys("old")
    first, second = sorted(make_rows(2), key=lambda row: row.pk)
    other = seal(Secret("written meanwhile"), place=place_of(second))
    use_keys("new", "old")
    change = f"UPDATE connectors_configurationsecret SET sealed = x'{other.hex()}' WHERE field = '{second.field}'"
    with trigger(f"WHEN OLD.field = '{first.field}' BEGIN {change}; END"):
        done = rotate_values()
    assert (done.resealed, done.changed_meanwhile) == (1, 1)
    assert open_all()[second.field] == "written meanwhile"
    assert rotate_values().resealed == 1


@pytest.mark.django_db(transaction=True)
def test_no_read_fails_while_keys_are_rotated(use_keys):
    use_keys("old")
    make_rows(120)
    use_keys("new", "old")
    failures, reads, stop = [], [], threading.Event()

    def read():
        while not (stop.is_set() and reads):
            try:
                reads.append(len(open_all()))
            except CannotOpen as error:
                failures.append(error)
                break
        connections.close_all()

    reader = threading.Thread(target=read)
    reader.start()
    use_keys("new", "old")
    rotate_values()
    use_keys("third", "new", "old")
    rotate_values()
    stop.set()
    reader.join()
    assert failures == []
    assert set(reads) == {120}
    assert keys_in_use() == {"third"}


@pytest.mark.django_db
def test_two_swapped_values_are_refused_and_the_rest_is_rotated(use_keys):
    use_keys("old")
    one, two, three = make_rows()
    one.sealed, two.sealed, three.sealed = two.sealed, one.sealed, b"damaged"
    ConfigurationSecret.objects.bulk_update([one, two, three], ["sealed"])
    good = make_rows(1)[0]
    use_keys("new", "old")
    done = rotate_values()
    assert done.resealed == 1
    assert {problem.row: type(problem.error) for problem in done.problems} == {
        one.pk: SealedValueMisplaced,
        two.pk: SealedValueMisplaced,
        three.pk: SealedValueDamaged,
    }
    assert {problem.row for problem in examine_values()} == {one.pk, two.pk, three.pk}
    assert count_uses()[COLUMN] == {"old": 2, "new": 1, "": 1}
    good.refresh_from_db()
    assert open_sealed(good.sealed, place=place_of(good)).reveal() == "f0"


@pytest.mark.django_db
def test_a_value_is_bound_to_the_field_it_was_entered_for(use_keys):
    use_keys("old")
    row = make_rows(1)[0]
    ConfigurationSecret.objects.update(field="another")
    row.refresh_from_db()
    with pytest.raises(SealedValueMisplaced):
        open_sealed(row.sealed, place=place_of(row))


@pytest.mark.django_db
def test_a_key_that_holds_values_is_not_retired(use_keys):
    use_keys("new", "old")
    ensure_canaries()
    use_keys("old", "new")
    make_rows()
    use_keys("new", "old")
    with pytest.raises(Conflict) as error:
        retire_key(name="old")
    assert (error.value.code, error.value.parameters["values"]) == ("vault_key_in_use", 3)
    rotate_values()
    assert retire_key(name="old") is None
    assert list(KeyCanary.objects.values_list("key_id", flat=True)) == ["new"]
    use_keys("new")
    ensure_canaries()


@pytest.mark.django_db
def test_no_key_is_retired_while_a_damaged_value_may_be_its_own(use_keys):
    use_keys("new", "old")
    ensure_canaries()
    make_rows(1)
    ConfigurationSecret.objects.update(sealed=b"damaged")
    with pytest.raises(Conflict):
        retire_key(name="old")


@pytest.mark.django_db
def test_the_active_key_and_an_unknown_key_are_not_retired(use_keys):
    use_keys("new", "old")
    with pytest.raises(Conflict) as error:
        retire_key(name="new")
    assert error.value.code == "vault_key_active"
    with pytest.raises(NotFound):
        retire_key(name="never")


@pytest.mark.django_db
def test_a_lost_key_can_be_given_up_and_only_its_values_are_lost(use_keys):
    use_keys("old")
    ensure_canaries()
    make_rows(2)
    use_keys("new")
    with pytest.raises(VaultKeyMissing):
        ensure_canaries()
    assert isinstance(examine_canaries()["old"], VaultKeyMissing)
    with pytest.raises(Conflict):
        retire_key(name="old")
    retire_key(name="old", lost=True)
    ensure_canaries()
    assert [type(problem.error) for problem in examine_values()] == [VaultKeyMissing] * 2


@pytest.mark.django_db
def test_a_key_still_in_the_ring_is_not_lost(use_keys):
    use_keys("old")
    make_rows(1)
    use_keys("new", "old")
    with pytest.raises(Conflict):
        retire_key(name="old", lost=True)
