"""`run_program`: run one operation of a package's program as the platform would, and show everything.

The request is printed with its secrets masked; what the program wrote to standard error follows its answer.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from connectors.errors import ConnectorError, Fault, Invalid
from connectors.management.authoring.reading import REFUSED, UNREADABLE, VALID, as_lines, author_language, in_words
from connectors.management.authoring.sample_context import sample_context
from connectors.manifest.schema import Manifest
from connectors.manifest.strict_json import JsonFault, parse_strict
from connectors.packages.inspection import inspect_folder
from connectors.runtime import discovery_words  # noqa: F401 - registers what differences from the policy say
from connectors.runtime.deadline import Deadline
from connectors.runtime.discovery_check import compare_with_policy
from connectors.runtime.operations import OPERATIONS, Operation
from connectors.runtime.process import Ending
from connectors.runtime.program import ProgramSource, exchange, read_ending, require_capability
from connectors.runtime.program_results import DiscoveredTools
from connectors.runtime.protocol import MAX_REQUEST_BYTES, PackageName, build_request
from connectors.vault.redaction import redact_mapping

HELP = "Run one operation of a package's program. Exit code 0: it answered well, 1: it did not, 2: unreadable input."
_SECRET_PLACES = ("secret", "credentials", "credential", "values", "private_context", "code", "code_verifier", "state")
_SECONDS = 100.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", type=Path, help="the folder that holds manifest.json")
    parser.add_argument("operation", choices=sorted(OPERATIONS), metavar="OPERATION", help=", ".join(OPERATIONS))
    parser.add_argument(
        "--context",
        type=Path,
        help="a JSON file with the operation's context; what it leaves out is filled in. - reads standard input",
    )
    parser.add_argument("--locale", help="language of the messages: en or zh-CN; the shell's by default")


@dataclass(frozen=True, slots=True)
class Attempt:
    program: ProgramSource
    operation: Operation[Any, Any]
    manifest: Manifest
    context: dict[str, Any]


def run(options: argparse.Namespace, out: TextIO, err: TextIO) -> int:
    language = author_language(options.locale)
    try:
        attempt = _prepare(options)
        return _show(attempt, language, out, err)
    except Invalid as invalid:
        print(as_lines(in_words(invalid.faults, language)), file=err)
        return REFUSED
    except JsonFault as fault:
        print(f"{options.context}: {fault.code} {fault.parameters}", file=err)
        return UNREADABLE
    except OSError as error:
        print(f"{error.filename or options.path}: {error.strerror or error}", file=err)
        return UNREADABLE
    except ConnectorError as error:
        print(f"{error.code} {json.dumps(error.parameters, ensure_ascii=False, default=str)}", file=err)
        return REFUSED


def _prepare(options: argparse.Namespace) -> Attempt:
    package = inspect_folder(options.path)
    manifest = package.manifest
    if manifest.program is None:
        raise Invalid([Fault("program_absent", "/program")])
    program = ProgramSource(
        folder=options.path,
        entrypoint=manifest.program.entrypoint,
        package=PackageName(manifest.key, manifest.package_version),
        capabilities=frozenset(manifest.program.capabilities),
        digest=package.manifest_revision,
    )
    operation = OPERATIONS[options.operation]
    require_capability(program, operation)
    given = {} if options.context is None else _read_context(options.context)
    return Attempt(program, operation, manifest, _complete(operation, manifest, given))


def _read_context(path: Path) -> dict[str, Any]:
    data = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
    context = parse_strict(data, max_bytes=MAX_REQUEST_BYTES)
    if not isinstance(context, dict):
        raise Invalid([Fault("context_no_object")])
    return context


def _complete(operation: Operation[Any, Any], manifest: Manifest, given: dict[str, Any]) -> dict[str, Any]:
    """Put what is given over a sample; a name the handbook does not know would never be sent, so it is refused."""
    sample = sample_context(operation.name, manifest)
    unknown = [name for name in given if name not in sample]
    if unknown:
        raise Invalid([Fault("context_name_unknown", f"/{name}", {"names": ", ".join(sample)}) for name in unknown])
    return {**sample, **given}


def _show(attempt: Attempt, language: str, out: TextIO, err: TextIO) -> int:
    request = build_request(attempt.operation.name, attempt.program.package, attempt.context)
    shown = redact_mapping(json.loads(request), _SECRET_PLACES)
    print(f"request\n{_pretty(shown)}", file=out)
    ending = asyncio.run(exchange(attempt.program, attempt.operation, request, deadline=Deadline.after(_SECONDS)))
    print("\n".join(_told(ending)), file=out)
    result = read_ending(ending, attempt.operation)
    print("result: as the protocol wants it", file=out)
    if isinstance(result, DiscoveredTools):
        differences = compare_with_policy(result.tools, attempt.manifest.tool_policy.rules)
        if differences:
            print(as_lines(in_words(differences, language)), file=err)
            return REFUSED
        print(f"tools: {len(result.tools)}, as tool_policy says", file=out)
    return VALID


def _told(ending: Ending) -> Iterator[str]:
    yield f"answer ({len(ending.stdout):,} bytes)"
    yield ending.stdout.decode("utf-8", "replace").rstrip()
    how = "ended by the time limit" if ending.timed_out else f"exit code {ending.exit_code}"
    yield (
        f"{how}, {ending.seconds:.3f} s, {ending.cpu_seconds:.3f} s of CPU, {ending.peak_kib / 1024:.0f} MiB at most"
    )
    if ending.stderr:
        yield f"stderr\n{ending.stderr.decode('utf-8', 'replace').rstrip()}"


def _pretty(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
