"""Secrets that the embedded form makes for itself."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from poco.local_secret import read_or_make_secret


def test_a_made_secret_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "keys" / "secret"
    read_or_make_secret(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_secret_once_made_stays(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    assert read_or_make_secret(path) == read_or_make_secret(path)


def test_racing_makers_agree_on_one_secret(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        secrets = set(pool.map(read_or_make_secret, [tmp_path / "secret"] * 32))
    assert len(secrets) == 1
