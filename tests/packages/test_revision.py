"""The revision is the package's content and nothing else."""

import io
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from connectors.packages.inspected import PackageFile
from connectors.packages.inspection import inspect_folder, inspect_package
from connectors.packages.revision import compute_revision
from tests.builders.packages import build_files, build_folder, build_manifest, build_package
from tests.corpus.honest import SAME

FILES = build_files(build_manifest(skills=[{"key": "search", "path": "skills/search"}]))


def revision_of(tmp_path_factory, data: bytes) -> str:
    archive = tmp_path_factory.mktemp("revision") / "package.zip"
    archive.write_bytes(data)
    return inspect_package(archive).manifest_revision


@pytest.mark.parametrize("case", SAME[1:], ids=lambda case: case.name)
def test_the_same_files_in_another_archive_have_the_same_revision(case, tmp_path_factory):
    assert revision_of(tmp_path_factory, case.make()) == revision_of(tmp_path_factory, SAME[0].make())


def test_a_folder_has_the_revision_of_its_archive(tmp_path):
    packed = inspect_package(build_package(tmp_path / "package.zip"))
    assert inspect_folder(build_folder(tmp_path / "folder")).manifest_revision == packed.manifest_revision


@st.composite
def zips(draw: st.DrawFn) -> bytes:
    """The same files, zipped in whatever order, depth, time and compression."""
    order = draw(st.permutations(sorted(FILES)))
    prefix = draw(st.sampled_from(["", "records/", "a b/", "包/"]))
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name in order:
            year = draw(st.integers(1980, 2107))
            info = zipfile.ZipInfo(
                prefix + name, (year, draw(st.integers(1, 12)), 1, 0, 0, 2 * draw(st.integers(0, 29)))
            )
            info.compress_type = draw(st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]))
            info.external_attr = draw(st.sampled_from([0, 0o100644 << 16, 0o100755 << 16, 0x20]))
            archive.writestr(info, FILES[name], compresslevel=draw(st.integers(0, 9)))
        if draw(st.booleans()):
            archive.writestr(f"{prefix}.DS_Store", b"Bud1")
    return target.getvalue()


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(zips())
def test_zipping_again_never_changes_the_revision(tmp_path_factory, data):
    plain = build_package(tmp_path_factory.mktemp("plain") / "package.zip", manifest=build_manifest(), files=FILES)
    assert revision_of(tmp_path_factory, data) == inspect_package(plain).manifest_revision


FILE = st.builds(
    PackageFile,
    path=st.text(min_size=1, max_size=5),
    size=st.integers(0, 9),
    digest=st.binary(min_size=32, max_size=32).map(bytes.hex),
)


@given(st.lists(FILE, max_size=4, unique_by=lambda file: file.path), st.randoms())
def test_order_does_not_count(files, random):
    shuffled = random.sample(files, len(files))
    assert compute_revision(shuffled) == compute_revision(files)


@given(*[st.lists(FILE, max_size=3, unique_by=lambda file: file.path)] * 2)
def test_other_paths_or_contents_have_another_revision(one, other):
    same = {(f.path, f.digest) for f in one} == {(f.path, f.digest) for f in other}
    assert (compute_revision(one) == compute_revision(other)) is same
