"""Reading a manifest: strict JSON, then shape, then how its parts fit together."""

import json
from dataclasses import dataclass
from typing import Any

from connectors.errors import Fault
from connectors.manifest.cross_references import check_parts
from connectors.manifest.parts import Document, Parts, read_shape
from connectors.manifest.schema import Manifest
from connectors.manifest.strict_json import JsonFault, parse_strict

MAX_MANIFEST_BYTES = 1024 * 1024
MANIFEST_PATH = "manifest.json"


@dataclass(frozen=True, slots=True)
class Reading:
    """`manifest` is there exactly when there are no faults; `parts` unless the file is no JSON object.

    `parts` let the checks against texts and files run even when something else is wrong.
    """

    manifest: Manifest | None
    parts: Parts | None
    faults: tuple[Fault, ...]


def read_manifest(data: bytes) -> tuple[Manifest | None, list[Fault]]:
    """The manifest, or all its faults; `where` is a JSON pointer, or `manifest.json` for the file as a whole."""
    reading = read_parts(data)
    return reading.manifest, list(reading.faults)


def read_parts(data: bytes) -> Reading:
    """As `read_manifest`, with the parts that could be read."""
    try:
        document = parse_strict(data, max_bytes=MAX_MANIFEST_BYTES)
    except JsonFault as fault:
        return Reading(None, None, (fault.fault(MANIFEST_PATH),))
    if not isinstance(document, dict):
        return Reading(None, None, (Fault("wrong_type", MANIFEST_PATH, {"expected": "object"}),))
    return read_document(document)


def read_document(document: Document) -> Reading:
    manifest, parts, faults = read_shape(document)
    faults = sorted([*faults, *check_parts(parts)], key=lambda fault: fault.where)
    return Reading(None if faults else manifest, parts, tuple(faults))


def load_manifest(document: dict[str, Any]) -> Manifest:
    """A manifest that was accepted when it was installed; anything else is a programming error and raises."""
    return Manifest.model_validate_json(json.dumps(document))
