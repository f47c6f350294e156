"""Inspecting packages beside Info-ZIP's `unzip -t`, which inflates and checks the same bytes, in the same run.

Prints, for each package, the processor time of both (best of several: a busy machine adds to neither), their ratio and
the peak memory above an idle process. Aims: at most 3 times `unzip -t` for large files, 6 times for many small ones,
64 MiB of memory, 100 ms for an overlap bomb.
"""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.builders.packages import build_files, build_manifest  # noqa: E402 - found from the repository's root
from tests.corpus.odd_structures import quoted_overlap_bomb  # noqa: E402

MIB = 1024 * 1024
ROUNDS = 5
# Runs alone, so that its peak is its own; an idle run imports the same modules and inspects nothing.
CHILD = """
import json, sys, time
from pathlib import Path
from connectors.errors import Invalid
from connectors.packages.inspection import inspect_package
best = None
for path in sys.argv[2:]:
    for _ in range(int(sys.argv[1])):
        started = time.process_time()
        try:
            inspect_package(Path(path))
        except Invalid:
            pass
        taken = time.process_time() - started
        best = taken if best is None else min(best, taken)
status = Path("/proc/self/status").read_text().splitlines()
print(json.dumps([best, next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))]))
"""


def noise(size: int) -> Iterator[bytes]:
    """Bytes as a provider's binaries have them: some of it compresses."""
    left = size
    while left > 0:
        block = os.urandom(48 * 1024) + b"connector " * 1638
        yield block[:left]
        left -= len(block)


def write_package(path: Path, payload: Callable[[zipfile.ZipFile], None]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in build_files(build_manifest()).items():
            archive.writestr(name, data)
        payload(archive)
    return path


def one_large(size: int) -> Callable[[zipfile.ZipFile], None]:
    """Fill the ZIP to about `size` bytes with files of 8 MiB each."""

    def write(archive: zipfile.ZipFile) -> None:
        number = 0
        while archive.fp.tell() < size - 8 * MIB // 10:  # type: ignore[union-attr]  # open while writing
            room = min(8 * MIB, int((size - archive.fp.tell()) * 1.2))  # type: ignore[union-attr]
            with archive.open(f"provider/binary{number}.bin", "w") as target:
                for block in noise(room):
                    target.write(block)
            number += 1

    return write


def compressible(archive: zipfile.ZipFile) -> None:
    """Text that inflates to nearly the whole allowance."""
    line = b"".join(b"%d,record,%d\n" % (n, n * 7919 % 1000) for n in range(4096))
    for number in range(40):
        with archive.open(f"provider/table{number}.csv", "w") as target:
            for _ in range(9 * MIB // len(line)):
                target.write(line)


def many_small(archive: zipfile.ZipFile) -> None:
    for number in range(9_990):
        archive.writestr(f"skills/part{number % 100:02}/note{number}.md", f"# Note {number}\n\nA line of text.\n" * 8)


def measure_ours(paths: list[Path], rounds: int = ROUNDS) -> tuple[float, int]:
    command = [sys.executable, "-c", CHILD, str(rounds), *map(str, paths)]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    best, peak = json.loads(done.stdout)
    return best or 0.0, peak


def measure_unzip(path: Path) -> float:
    best = float("inf")
    for _ in range(ROUNDS):
        before = child_time()
        subprocess.run(["unzip", "-t", str(path)], check=True, stdout=subprocess.DEVNULL)
        best = min(best, child_time() - before)
    return best


def child_time() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    if shutil.which("unzip") is None:
        sys.exit("Install Info-ZIP's unzip first: it is what the numbers are compared with.")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        packages = [
            ("1 MiB", 3, write_package(folder / "1.zip", one_large(MIB))),
            ("20 MiB", 3, write_package(folder / "20.zip", one_large(20 * MIB))),
            ("100 MiB", 3, write_package(folder / "100.zip", one_large(99 * MIB))),
            ("inflates to 360 MiB", 3, write_package(folder / "text.zip", compressible)),
            ("10,000 small files", 6, write_package(folder / "small.zip", many_small)),
        ]
        idle = measure_ours([], 0)[1]
        print(f"{'package':<22}{'ZIP':>10}{'unzip -t':>12}{'ours':>12}{'ratio':>8}{'aim':>6}{'peak above idle':>18}")
        for name, aim, path in packages:
            theirs, (ours, peak) = measure_unzip(path), measure_ours([path])
            size = f"{path.stat().st_size / MIB:.1f} MiB"
            row = f"{name:<22}{size:>10}{theirs * 1000:>9.0f} ms{ours * 1000:>9.0f} ms"
            print(f"{row}{ours / theirs:>8.2f}{'≤ ' + str(aim):>6}{(peak - idle) / 1024:>14.1f} MiB")
        bomb = folder / "bomb.zip"
        bomb.write_bytes(quoted_overlap_bomb())
        ours, peak = measure_ours([bomb])
        print(
            f"overlap bomb refused in {ours * 1000:.1f} ms (aim < 100), peak {(peak - idle) / 1024:.1f} MiB above idle"
        )


if __name__ == "__main__":
    main()
