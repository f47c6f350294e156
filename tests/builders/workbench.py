"""Further versions of the example package, as its author would make them: the shipped files, a few changed."""

import json
import zipfile
from pathlib import Path
from typing import Any

import connectors.examples

_FOLDER = Path(connectors.examples.__file__).parent / "packages" / "workbench"
PURGE = {"tool": "purge_notes", "effect": "destructive", "retry": "never", "confirmation": "user_required"}
TEAM = {"key": "team", "type": "text", "label_key": "configuration.team.label", "required": True}
TEXTS = {
    "en": {"configuration.team.label": "Default team"},
    "zh-CN": {"configuration.team.label": "默认团队"},
}


def pack_workbench(folder: Path, version: str, *, riskier: bool = False) -> Path:
    """Write a version; a `riskier` one changes notes where it searched them, adds a tool, and asks for one field more."""
    manifest = json.loads((_FOLDER / "manifest.json").read_text(encoding="utf-8"))
    manifest["package_version"] = version
    if riskier:
        _add_risks(manifest)
    path = folder / f"workbench-{version}.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(_FOLDER.rglob("*")):
            if file.is_file():
                archive.writestr(file.relative_to(_FOLDER).as_posix(), _content(file, manifest))
    return path


def _add_risks(manifest: dict[str, Any]) -> None:
    rules = manifest["tool_policy"]["rules"]
    rules[0] = {"tool": rules[0]["tool"], "effect": "write", "retry": "never", "confirmation": "not_required"}
    rules.append(PURGE)
    manifest["configuration"]["fields"].append(TEAM)


def _content(file: Path, manifest: dict[str, Any]) -> bytes:
    if file == _FOLDER / "manifest.json":
        return json.dumps(manifest, ensure_ascii=False, indent=2).encode()
    if file.parent.name == "locales":
        return json.dumps({**json.loads(file.read_bytes()), **TEXTS[file.stem]}, ensure_ascii=False).encode()
    return file.read_bytes()
