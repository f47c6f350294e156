"""The last line of defence: bytes are counted while they come out, whatever was checked before."""

import pytest

from connectors.packages.entries import plan_files
from connectors.packages.extraction import Extraction
from connectors.packages.zip_directory import read_directory
from connectors.packages.zip_layout import check_layout
from connectors.packages.zip_source import ZipSource
from tests.corpus.large_entries import LARGE, NOISE, STORED
from tests.corpus.raw_zip import Raw, build_zip

SMALL = Raw(b"small.bin", NOISE[:1000])


@pytest.fixture
def opened(tmp_path):
    files = []
    (tmp_path / "out").mkdir()

    def open_archive(*entries: Raw):
        path = tmp_path / "archive.zip"
        path.write_bytes(build_zip(list(entries)))
        files.append(path.open("r+b"))
        source = ZipSource(files[-1])
        return files[-1], source, plan_files(check_layout(source, read_directory(source))[0]).files

    yield open_archive
    for file in files:
        file.close()


@pytest.mark.parametrize("entry", [SMALL, LARGE, STORED], ids=["small", "large", "stored"])
@pytest.mark.parametrize(("room", "codes"), [(1, []), (0, []), (-1, ["inflated_too_large"])])
def test_counting_stops_at_the_limit(entry, room, codes, opened, tmp_path):
    _, source, files = opened(entry)
    limit = entry.fields["size"] + room
    extraction = Extraction(source, folder=tmp_path / "out", wanted=lambda _path: True, limit=limit)
    done, faults = extraction.extract(files)
    assert [fault.code for fault in faults] == codes
    assert len(done) == 1 - len(codes)


def test_nothing_more_is_inflated_after_the_limit(opened, tmp_path):
    _, source, files = opened(SMALL, SMALL.but(name=b"b"), SMALL.but(name=b"c"))
    extraction = Extraction(source, folder=tmp_path / "out", wanted=lambda _path: False, limit=1500)
    done, faults = extraction.extract(files)
    assert [file.path for file in done] == ["small.bin"]
    assert [(fault.code, fault.where) for fault in faults] == [("inflated_too_large", "b")]


def test_an_archive_cut_while_it_is_read_is_an_error_of_reading(opened, tmp_path):
    file, source, files = opened(STORED)
    file.truncate(400_000)
    extraction = Extraction(source, folder=tmp_path / "out", wanted=lambda _path: False, limit=1_000_000)
    with pytest.raises(OSError, match="shorter"):
        extraction.extract(files)
