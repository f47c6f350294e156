"""The corpus of manifests: each case changes one of a few valid bases and names the faults it must give, or none.

`set` and `remove` hold JSON pointers; a last part `-` appends to a list.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.builders import packages

CORPUS = Path(__file__).parent.parent / "corpus"


@dataclass(frozen=True)
class Case:
    name: str
    document: dict[str, Any]
    faults: list[tuple[str, str]]


def load_cases(verdict: str) -> list[Case]:
    cases = []
    for file in sorted((CORPUS / verdict / "manifests").glob("*.json")):
        cases += [_case(f"{file.stem}: {raw['name']}", raw) for raw in json.loads(file.read_text(encoding="utf-8"))]
    return cases


def _case(name: str, raw: dict[str, Any]) -> Case:
    document = BASES[raw.get("base", "none")]()
    for pointer in raw.get("remove", []):
        container, last = _reach(document, pointer)
        del container[last]
    for pointer, value in raw.get("set", {}).items():
        container, last = _reach(document, pointer)
        if last == "-":
            container.append(value)
        else:
            container[last] = value
    return Case(name, document, [(code, where) for code, where in raw.get("faults", [])])


def _reach(document: Any, pointer: str) -> tuple[Any, Any]:
    *path, last = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    for part in path:
        document = document[int(part) if isinstance(document, list) else part]
    return document, int(last) if isinstance(document, list) and last != "-" else last


def _servers() -> dict[str, Any]:
    servers = [{"key": key, "endpoint": {"url": f"https://example.com/mcp/{key}"}} for key in ("documents", "sheets")]
    rules = [
        {"server": "documents", "tool": "read_document", "effect": "read", "retry": "safe"},
        {"server": "sheets", "tool": "get_range", "effect": "read", "retry": "safe"},
    ]
    return packages.build_static_manifest(
        runtime=packages.remote_runtime(servers=servers, credential_binding=packages.BEARER),
        tool_policy={"default": "deny", "rules": rules},
    )


def _mixed() -> dict[str, Any]:
    binding = {**packages.BEARER, "credential_field": "access_token"}
    return packages.build_program_manifest(runtime=packages.remote_runtime(credential_binding=binding))


def _launch() -> dict[str, Any]:
    manifest = packages.build_program_manifest()
    manifest["program"]["capabilities"] = ["launch_url"]
    manifest["presentation"]["connection_actions"] = [
        {"type": "open_service", "label_key": "name", "url_source": "connection_launch_url"}
    ]
    return manifest


BASES: dict[str, Callable[[], dict[str, Any]]] = {
    "empty": dict,
    "none": packages.build_manifest,
    "static": packages.build_static_manifest,
    "oauth": packages.build_oauth_manifest,
    "program": packages.build_program_manifest,
    "servers": _servers,
    "mixed": _mixed,
    "launch": _launch,
}
