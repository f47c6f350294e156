"""Feed archives and manifests that nobody would make to the inspection; only our own refusal may come out.

`make fuzz` runs this for a minute. A crash leaves its input under build/fuzz/.
"""

import json
import struct
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import atheris

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

with atheris.instrument_imports(include=["connectors"]):
    from connectors.errors import Invalid
    from connectors.manifest.reading import read_manifest
    from connectors.packages.inspection import inspect_package
    from connectors.packages.skills import SkillFault, render_markdown, split_front_matter

import connectors.packages.fault_messages  # noqa: F401 - registers the texts that are asked for below
from connectors.manifest.fault_messages import describe_fault, fault_catalogue
from tests.builders.packages import build_files, build_manifest
from tests.corpus.make_archives import ACCEPT, REJECT
from tests.corpus.raw_zip import Raw, build_zip

SCRATCH = Path(tempfile.mkdtemp(prefix="poco-fuzz-"))
SMALL = 64 * 1024


def fuzz_archive(data: bytes) -> None:
    """Any bytes at all."""
    archive = SCRATCH / "package.zip"
    archive.write_bytes(data)
    inspect_package(archive)


def fuzz_entries(data: bytes) -> None:
    """A sound container around names, flags, attributes and extras of the fuzzer's choice."""
    choose = atheris.FuzzedDataProvider(data)
    entries = [Raw(name.encode(), content) for name, content in build_files(build_manifest()).items()]
    for _ in range(choose.ConsumeIntInRange(0, 4)):
        name, extra = choose.ConsumeBytes(choose.ConsumeIntInRange(0, 40)), choose.ConsumeBytes(20)
        flags, method = choose.ConsumeIntInRange(0, 0xFFFF), choose.ConsumeIntInRange(0, 9)
        content = choose.ConsumeBytes(40)
        attributes = choose.ConsumeIntInRange(0, 0xFFFFFFFF)
        entries.append(Raw(name, content, flags=flags, method=method, extra=extra, attributes=attributes, data=content))
    fuzz_archive(build_zip(entries))


def fuzz_manifest(data: bytes) -> None:
    """A manifest of the fuzzer's choice, alone and in a package."""
    read_manifest(data)
    files = {**build_files(build_manifest()), "manifest.json": data}
    fuzz_archive(build_zip([Raw(name.encode(), content) for name, content in files.items()]))


def fuzz_skill(data: bytes) -> None:
    """A SKILL.md of the fuzzer's choice."""
    with suppress(SkillFault):
        render_markdown(split_front_matter(data[:4096].decode("utf-8", "replace")).body)


TARGETS = (fuzz_archive, fuzz_entries, fuzz_manifest, fuzz_skill)


def fuzz_one(data: bytes) -> None:
    """The first byte chooses the target, the rest is its input."""
    try:
        TARGETS[data[0] % len(TARGETS) if data else 0](data[1:])
    except Invalid as refused:
        for fault in refused.faults:
            assert fault.code in fault_catalogue(), fault.code
            assert describe_fault(fault, "zh-hans").message


def write_seeds(folder: Path) -> None:
    """Start from the corpus: it already reaches most rules."""
    folder.mkdir(parents=True, exist_ok=True)
    for case in (*ACCEPT, *REJECT):
        data = case.make()
        if len(data) <= SMALL:
            (folder / case.name).write_bytes(b"\0" + data)
    (folder / "manifest").write_bytes(b"\2" + json.dumps(build_manifest()).encode())
    (folder / "skill").write_bytes(b"\3---\nname: a\ndescription: b\n---\n# T\n\n| a | b |\n|---|---|\n")
    (folder / "entries").write_bytes(b"\1" + struct.pack("<B40s20s", 1, b"a/b.txt", b"\x75\x70\x05\0"))


def main() -> None:
    seeds = SCRATCH / "seeds"
    write_seeds(seeds)
    crashes = Path("build/fuzz")
    crashes.mkdir(parents=True, exist_ok=True)
    options = [
        f"-artifact_prefix={crashes}/",
        "-max_len=65536",
        "-timeout=20",
        "-rss_limit_mb=2048",
        "-print_final_stats=1",
    ]
    atheris.Setup([sys.argv[0], *options, *sys.argv[1:], str(seeds)], fuzz_one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
