"""From a package as an author has it, a ZIP or a folder, to its program that can be tried."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from connectors.errors import Fault, Invalid
from connectors.management.authoring.exercise import Exercise, exercise_program
from connectors.manifest.strict_json import JsonFault, parse_strict
from connectors.manifest.values import ParsedValues, as_typed, parse_values
from connectors.packages.archive import read_archive
from connectors.packages.inspection import InspectedPackage
from connectors.packages.limits import MAX_ZIP_BYTES, MIB
from connectors.runtime.program import ProgramSource
from connectors.runtime.protocol import PackageName


def exercise_package(path: Path, package: InspectedPackage, given: ParsedValues | None) -> Exercise:
    """Try the program of the package at `path`; without one there is only a warning that nothing was run."""
    if package.manifest.program is None:
        return Exercise(warnings=[Fault("program_absent", "/program")])
    with _unpacked(path) as folder:
        program = ProgramSource(
            folder=folder,
            entrypoint=package.manifest.program.entrypoint,
            package=PackageName(package.manifest.key, package.manifest.package_version),
            capabilities=frozenset(package.manifest.program.capabilities),
            digest=package.manifest_revision,
        )
        return exercise_program(program, package.manifest, given)


def read_configuration(path: Path, package: InspectedPackage) -> ParsedValues:
    """Read a JSON object of values by field key. Raises `Invalid` with a fault per field, OSError when unreadable."""
    try:
        values = parse_strict(path.read_bytes(), max_bytes=MIB)
    except JsonFault as broken:
        raise Invalid([broken.fault(str(path))]) from broken
    if not isinstance(values, dict):
        raise Invalid([Fault("context_no_object", str(path))])
    raw = {key: as_typed(value) for key, value in values.items() if value is not None}
    return parse_values(package.manifest.configuration.fields, raw)


@contextmanager
def _unpacked(path: Path) -> Iterator[Path]:
    """Yield the package's folder; a ZIP, found sound before, is unpacked for as long as it is needed."""
    if path.is_dir():
        yield path
        return
    with TemporaryDirectory(prefix="poco-run-") as scratch:
        folder = Path(scratch)
        read_archive(path, max_zip_bytes=MAX_ZIP_BYTES, folder=folder, wanted=lambda _path: True)
        yield folder
