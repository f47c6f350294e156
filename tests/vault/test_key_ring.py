"""Where keys come from, and what is refused (safety, Vault)."""

import base64
import hashlib
import os
import stat
import subprocess
import sys

import pytest

from connectors.vault import key_folder, key_ring
from connectors.vault.errors import KeyRingFault, VaultKeyMissing
from connectors.vault.fingerprint import fingerprint_secret, keyed_digest, matches_digest
from connectors.vault.key_ring import find_key, get_key_ring, make_key_text, own_folder
from connectors.vault.secret import Secret
from connectors.vault.startup import check_key_ring

MATERIAL = base64.b64encode(hashlib.sha256(b"one").digest()).decode()
OTHER_MATERIAL = base64.b64encode(hashlib.sha256(b"two").digest()).decode()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no_key"),
        (" , ,", "no_key"),
        (MATERIAL, "bad_name"),
        (f":{MATERIAL}", "bad_name"),
        (f"Upper:{MATERIAL}", "bad_name"),
        (f"{'x' * 64}:{MATERIAL}", "bad_name"),
        ("k1:", "wrong_length"),
        ("k1:!!!", "not_base64"),
        ("k1:ä", "not_base64"),
        (f"k1:{base64.b64encode(b'x' * 31).decode()}", "wrong_length"),
        (f"k1:{base64.b64encode(bytes(range(33))).decode()}", "wrong_length"),
        (f"k1:{base64.b64encode(bytes(32)).decode()}", "not_random"),
        (f"good:{MATERIAL},good:{OTHER_MATERIAL}", "repeated_name"),
        (f"good:{MATERIAL},other:{MATERIAL}", "repeated_material"),
    ],
)
def test_a_bad_ring_is_refused_with_its_reason_and_without_the_key(settings, text, reason):
    settings.VAULT_KEYS, settings.VAULT_KEY_DIR = text, None
    with pytest.raises(KeyRingFault) as error:
        get_key_ring()
    assert error.value.parameters["reason"] == reason
    assert MATERIAL not in str(error.value)
    (message,) = check_key_ring()
    assert message.id == "vault.E001"
    assert MATERIAL not in str(message)


def test_the_first_key_is_active_and_all_open(use_keys):
    use_keys("two", "one")
    ring = get_key_ring()
    assert ring.active.name == "two"
    assert set(ring.keys) == {"one", "two"}
    assert check_key_ring() == []
    assert own_folder() is None


def test_a_key_does_not_show_itself(use_keys):
    use_keys("one")
    assert repr(get_key_ring().active) == "Key(one)"
    assert base64.b64decode(make_key_text()) not in repr(get_key_ring()).encode()


def test_the_embedded_form_makes_a_key_only_its_owner_can_read(key_dir):
    assert get_key_ring().active.name == "k0001"
    assert stat.S_IMODE((key_dir / "k0001.key").stat().st_mode) == 0o600
    assert stat.S_IMODE(key_dir.stat().st_mode) == 0o700
    assert own_folder() == key_dir
    assert [path.name for path in key_dir.iterdir()] == ["k0001.key"]


RACER = """
import sys
from pathlib import Path
from connectors.vault import key_folder
print("ready", flush=True)
sys.stdin.readline()
key_folder.ensure_key(Path(sys.argv[1]))
print(key_folder.read_keys(Path(sys.argv[1])))
"""


def test_processes_that_race_for_the_first_key_agree(tmp_path):
    command = [sys.executable, "-c", RACER, str(tmp_path / "keys")]
    racers = [subprocess.Popen(command, stdin=-1, stdout=-1, text=True) for _ in range(4)]
    for racer in racers:
        assert racer.stdout.readline() == "ready\n"
    for racer in racers:
        racer.stdin.write("go\n")
        racer.stdin.flush()
    reports = {racer.communicate(timeout=60)[0] for racer in racers}
    assert len(reports) == 1
    assert [path.name for path in (tmp_path / "keys").iterdir()] == ["k0001.key"]


def test_whoever_comes_second_keeps_the_first_one_s_key(key_dir):
    key_folder.ensure_key(key_dir)
    before = key_folder.read_keys(key_dir)
    assert not key_folder._write_key(key_dir, 1)
    assert key_folder.read_keys(key_dir) == before


def test_a_new_key_becomes_active_in_processes_that_already_run(key_dir):
    first = get_key_ring().active.name
    assert key_folder.add_key(key_dir) == "k0002"
    assert (first, get_key_ring().active.name) == ("k0001", "k0002")


def test_a_number_taken_meanwhile_is_skipped(key_dir, monkeypatch):
    key_folder.ensure_key(key_dir)
    key_folder._write_key(key_dir, 2)
    monkeypatch.setattr(key_folder, "_key_files", lambda folder: [folder / "k0001.key"])
    assert key_folder.add_key(key_dir) == "k0003"


def test_a_key_that_appeared_within_one_tick_of_the_clock_is_found(key_dir):
    get_key_ring()  # makes the folder
    get_key_ring()  # reads it as it is now
    times = key_dir.stat()
    name = key_folder.add_key(key_dir)
    os.utime(key_dir, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert name not in get_key_ring().keys
    assert find_key(name).name == name
    with pytest.raises(VaultKeyMissing):
        find_key("k9999")


def test_a_key_file_that_others_can_read_is_refused(key_dir):
    get_key_ring()
    (key_dir / "k0001.key").chmod(0o640)
    key_ring._read_ring.cache_clear()
    with pytest.raises(KeyRingFault) as error:
        get_key_ring()
    assert error.value.parameters["reason"] == "readable_by_others"
    assert "chmod 600" in str(check_key_ring()[0])


def test_a_key_file_that_cannot_be_read_is_named(key_dir):
    get_key_ring()
    (key_dir / "k0002.key").symlink_to(key_dir / "gone")
    with pytest.raises(KeyRingFault) as error:
        get_key_ring()
    assert (error.value.parameters["reason"], error.value.parameters["key"]) == ("unreadable", "k0002")


def test_a_damaged_key_file_is_named(key_dir):
    get_key_ring()
    (key_dir / "k0001.key").write_bytes(b"\xff\xfe")
    key_ring._read_ring.cache_clear()
    with pytest.raises(KeyRingFault) as error:
        get_key_ring()
    assert error.value.parameters == {"reason": "not_base64", "key": "k0001"}


def test_digests_tell_values_apart_and_differ_under_another_key(use_keys):
    use_keys("one")
    digest, fingerprint = keyed_digest(b"data"), fingerprint_secret(Secret("s"))
    assert (len(digest), len(fingerprint)) == (64, 6)
    assert keyed_digest(b"data") == digest != keyed_digest(b"other")
    assert fingerprint_secret(Secret("s")) == fingerprint != fingerprint_secret(Secret("t"))
    use_keys("two", "one")
    assert keyed_digest(b"data") != digest
    assert matches_digest(b"data", digest)
    assert not matches_digest(b"other", digest)
    use_keys("two")
    assert not matches_digest(b"data", digest)
