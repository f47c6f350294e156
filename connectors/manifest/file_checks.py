"""Every file the manifest names is in the package (handbook §1, §4, §7, §8)."""

from collections.abc import Collection, Iterator

from connectors.errors import Fault
from connectors.manifest.parts import Parts


def check_files(parts: Parts, files: Collection[str]) -> Iterator[Fault]:
    for place, path, code in _named_files(parts):
        if path not in files:
            yield Fault(code, place, {"path": path})


def find_warnings(parts: Parts, files: Collection[str]) -> list[Fault]:
    """What is allowed but probably not meant."""
    return list(_find_warnings(parts, files))


def _named_files(parts: Parts) -> Iterator[tuple[str, str, str]]:
    for index, locale in enumerate(parts.locales or ()):
        yield f"/locales/{index}", f"locales/{locale}.json", "locale_file_missing"
    if parts.presentation and parts.presentation.icon:
        yield "/presentation/icon", parts.presentation.icon, "icon_missing"
    if parts.program:
        yield "/program/entrypoint", parts.program.entrypoint, "entrypoint_missing"
    for index, skill in enumerate(parts.skills or ()):
        yield f"/skills/{index}/path", f"{skill.path}/SKILL.md", "skill_file_missing"


def _find_warnings(parts: Parts, files: Collection[str]) -> Iterator[Fault]:
    if parts.tool_policy and not parts.tool_policy.rules:
        yield Fault("policy_empty", "/tool_policy/rules")
    if parts.presentation and not parts.presentation.icon:
        yield Fault("icon_not_given", "/presentation/icon")
    declared = {f"locales/{locale}.json" for locale in parts.locales or ()}
    for path in sorted(files):
        if path.startswith("locales/") and path.endswith(".json") and path not in declared and parts.locales:
            yield Fault("locale_not_listed", path)
    if parts.program is None and "program" not in parts.faulty and any(p.startswith("provider/") for p in files):
        yield Fault("provider_not_used", "provider/")
