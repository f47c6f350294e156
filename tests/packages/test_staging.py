"""Uploads wait an hour for their owner and nobody else."""

import hashlib
import uuid
from datetime import timedelta

import pytest
from django.utils import timezone

from connectors.errors import NotFound
from connectors.packages import staging
from connectors.packages.models import StagedPackage
from connectors.packages.staging import TooLarge, fetch_staged, stage_package, sweep_staged
from connectors.packages.storage import get_object_store
from connectors.packages.tasks import sweep_staged_packages
from tests.builders.people import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture(params=["folder", "s3"], autouse=True)
def both_stores(request):
    if request.param == "s3":
        request.getfixturevalue("s3_settings")
    yield
    for found in list(get_object_store().list_keys("connectors/staging/")):
        get_object_store().delete(found.key)


@pytest.fixture
def owner():
    return make_user("owner")


@pytest.fixture
def staged(owner):
    return stage_package(owner=owner, file_name="records-1.0.0.zip", chunks=[b"first ", b"second"])


def age(staged: StagedPackage, by: timedelta) -> None:
    StagedPackage.objects.filter(id=staged.id).update(staged_at=timezone.now() - by)


def objects() -> list[str]:
    return [found.key for found in get_object_store().list_keys("connectors/staging/")]


def local_files(settings) -> list[str]:
    return [path.name for path in (settings.PACKAGE_CACHE_DIR.parent / "staged").iterdir()]


def test_an_upload_is_hashed_and_measured_while_it_streams(staged):
    assert staged.archive_sha256 == hashlib.sha256(b"first second").hexdigest()
    assert staged.size == 12
    assert str(staged) == "records-1.0.0.zip"
    assert objects() == [staged.object_key]


def test_its_owner_gets_it_back(owner, staged):
    found, file = fetch_staged(owner=owner, staged_id=staged.id)
    assert found == staged
    assert file.read_bytes() == b"first second"


def test_another_machine_gets_the_bytes_from_the_store(owner, staged, settings, tmp_path):
    settings.PACKAGE_CACHE_DIR = tmp_path / "elsewhere" / "packages"
    assert fetch_staged(owner=owner, staged_id=staged.id)[1].read_bytes() == b"first second"


def test_nobody_else_finds_it(staged):
    with pytest.raises(NotFound):
        fetch_staged(owner=make_user("other"), staged_id=staged.id)
    assert StagedPackage.objects.exists()


def test_an_unknown_one_is_not_found(owner):
    with pytest.raises(NotFound):
        fetch_staged(owner=owner, staged_id=uuid.uuid4())


def test_after_an_hour_it_is_not_found(owner, staged):
    age(staged, timedelta(minutes=59))
    assert fetch_staged(owner=owner, staged_id=staged.id)[0] == staged
    age(staged, timedelta(minutes=61))
    with pytest.raises(NotFound):
        fetch_staged(owner=owner, staged_id=staged.id)


def test_one_whose_bytes_are_gone_everywhere_is_not_found(owner, staged, settings, tmp_path):
    get_object_store().delete(staged.object_key)
    settings.PACKAGE_CACHE_DIR = tmp_path / "elsewhere" / "packages"
    with pytest.raises(NotFound):
        fetch_staged(owner=owner, staged_id=staged.id)


@pytest.mark.parametrize("more", [-1, 0])
def test_an_upload_as_large_as_allowed_is_taken(owner, settings, more):
    settings.MAX_UPLOAD_SIZE_MB = 1
    half = b"x" * (512 * 1024)
    assert stage_package(owner=owner, file_name="a.zip", chunks=[half, half[: len(half) + more] if more else half]).size


def test_an_upload_one_byte_too_large_is_refused_and_leaves_nothing(owner, settings):
    settings.MAX_UPLOAD_SIZE_MB = 1
    with pytest.raises(TooLarge) as refused:
        stage_package(owner=owner, file_name="a.zip", chunks=[b"x" * (1024 * 1024), b"y"])
    assert [(fault.code, fault.parameters) for fault in refused.value.faults] == [("zip_too_large", {"limit": "1 MiB"})]
    assert objects() == local_files(settings) == []
    assert not StagedPackage.objects.exists()


def test_an_upload_that_breaks_off_leaves_nothing(owner, settings):
    def chunks():
        yield b"first"
        raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        stage_package(owner=owner, file_name="a.zip", chunks=chunks())
    assert objects() == local_files(settings) == []


@pytest.mark.parametrize(
    ("given", "kept"), [("../../etc/passwd", "passwd"), ("", "package.zip"), ("a" * 300, "a" * 255)]
)
def test_the_file_s_name_is_only_a_name(owner, given, kept):
    assert stage_package(owner=owner, file_name=given, chunks=[b"x"]).file_name == kept


def test_the_sweep_forgets_what_waited_more_than_an_hour(owner, staged, settings):
    fresh = stage_package(owner=owner, file_name="fresh.zip", chunks=[b"x"])
    age(staged, timedelta(minutes=61))
    assert sweep_staged() == 1
    assert list(StagedPackage.objects.all()) == [fresh]
    assert objects() == [fresh.object_key]
    assert local_files(settings) == [f"{fresh.id}.zip"]


def test_the_sweep_removes_bytes_that_no_row_names(staged, monkeypatch):
    StagedPackage.objects.all().delete()
    assert sweep_staged() == 0
    monkeypatch.setattr(staging, "LIFETIME", timedelta(minutes=-5))
    assert sweep_staged() == 1
    assert objects() == []


def test_the_task_sweeps(staged):
    age(staged, timedelta(minutes=61))
    sweep_staged_packages()
    assert not StagedPackage.objects.exists()
