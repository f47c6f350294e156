"""Skills do not share names or folders (handbook §7, contract "Manifest")."""

from collections.abc import Iterator

from connectors.errors import Fault
from connectors.manifest.identity_checks import repeated
from connectors.manifest.parts import Parts


def check_skills(parts: Parts) -> Iterator[Fault]:
    skills = parts.skills or ()
    for index, key in repeated(skill.key for skill in skills):
        yield Fault("skill_duplicate", f"/skills/{index}/key", {"key": key})
    for index, path in repeated(skill.path.casefold() for skill in skills):
        yield Fault("skill_path_duplicate", f"/skills/{index}/path", {"path": path})
    for index, skill in enumerate(skills):
        for other in skills:
            if skill.path.casefold().startswith(other.path.casefold() + "/"):
                yield Fault("skill_path_nested", f"/skills/{index}/path", {"path": skill.path, "other": other.path})
