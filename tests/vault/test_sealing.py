"""A sealed value opens in its place only, and says why when it does not (safety §31, §33)."""

import uuid

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from connectors.errors import ConnectorError
from connectors.vault.sealing import (
    CannotOpen,
    Place,
    SealedValueDamaged,
    SealedValueMisplaced,
    VaultKeyMissing,
    VaultKeyWrong,
    _checksum,
    key_name_of,
    open_sealed,
    seal,
)
from connectors.vault.secret import Secret
from tests.vault.conftest import make_entry

PLACE = Place("table", uuid.UUID(int=7), "field")


@pytest.fixture(autouse=True)
def _ring(use_keys):
    use_keys("new", "old")


@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text())
def test_what_was_sealed_is_what_opens(text):
    assert open_sealed(seal(Secret(text), place=PLACE), place=PLACE).reveal() == text


def test_a_lone_surrogate_survives():
    assert open_sealed(seal(Secret("\ud800"), place=PLACE), place=PLACE).reveal() == "\ud800"


def test_the_database_may_give_a_memoryview():
    sealed = memoryview(seal(Secret("x"), place=PLACE))
    assert open_sealed(sealed, place=PLACE).reveal() == "x"
    assert key_name_of(sealed) == "new"


def test_the_same_secret_never_seals_to_the_same_bytes():
    one, two = seal(Secret("same"), place=PLACE), seal(Secret("same"), place=PLACE)
    assert one[5:] != two[5:]
    assert b"same" not in one


@pytest.mark.parametrize(
    "place",
    [
        Place("other", PLACE.row, PLACE.field),
        Place(PLACE.table, uuid.UUID(int=8), PLACE.field),
        Place(PLACE.table, PLACE.row, "other"),
        Place("tablef", PLACE.row, "ield"),
    ],
)
def test_in_another_place_it_is_misplaced(place):
    with pytest.raises(SealedValueMisplaced) as error:
        open_sealed(seal(Secret("x"), place=PLACE), place=place)
    assert error.value.parameters == {"table": place.table, "row": str(place.row)}


def test_without_its_key_the_key_is_missing(use_keys):
    sealed = seal(Secret("x"), place=PLACE)
    use_keys("old")
    with pytest.raises(VaultKeyMissing) as error:
        open_sealed(sealed, place=PLACE)
    assert error.value.parameters == {"key": "new"}


def test_with_another_key_of_the_same_name_the_key_is_wrong(settings):
    sealed = seal(Secret("x"), place=PLACE)
    settings.VAULT_KEYS = make_entry("new")
    with pytest.raises(VaultKeyWrong) as error:
        open_sealed(sealed, place=PLACE)
    assert error.value.parameters == {"key": "new"}


def test_every_flipped_bit_is_damage():
    sealed = seal(Secret("x"), place=PLACE)
    for position in range(len(sealed)):
        flipped = bytearray(sealed)
        flipped[position] ^= 1
        with pytest.raises(SealedValueDamaged):
            open_sealed(bytes(flipped), place=PLACE)


def test_every_cut_is_damage():
    sealed = seal(Secret("x"), place=PLACE)
    for length in range(len(sealed)):
        with pytest.raises(SealedValueDamaged):
            open_sealed(sealed[:length], place=PLACE)


@given(st.binary(max_size=300))
def test_any_bytes_are_damage(data):
    with pytest.raises(SealedValueDamaged):
        key_name_of(data)


@pytest.mark.parametrize("position", [2, 6, 40, -9])
def test_a_forged_checksum_does_not_help(position):
    forged = bytearray(seal(Secret("x" * 50), place=PLACE)[:-8])
    forged[position] ^= 1
    with pytest.raises(CannotOpen):
        open_sealed(bytes(forged) + _checksum(bytes(forged)), place=PLACE)


def test_a_version_of_the_future_is_named():
    future = b"\x02" + seal(Secret("x"), place=PLACE)[1:-8]
    with pytest.raises(SealedValueDamaged) as error:
        open_sealed(future + _checksum(future), place=PLACE)
    assert error.value.parameters == {"reason": "unknown_version", "version": 2}


def test_no_error_carries_the_value():
    sealed = seal(Secret("canary"), place=PLACE)
    with pytest.raises(ConnectorError) as error:
        open_sealed(sealed, place=Place("other", PLACE.row, "field"))
    assert "canary" not in str(error.value)
