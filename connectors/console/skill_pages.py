"""The Skills tab: what the installed version tells agents in so many words."""

from dataclasses import dataclass

from connectors.catalogue.models import PackageVersion
from connectors.packages.cache import open_package
from connectors.packages.installed_skills import SkillPage, read_skill


@dataclass(frozen=True, slots=True)
class ShownSkill:
    """What was noted of a Skill when it was installed, and what it says; `page` is None when it cannot be had now."""

    key: str
    name: str
    description: str
    path: str
    digest: str
    page: SkillPage | None


def read_skills(version: PackageVersion) -> tuple[ShownSkill, ...]:
    """Return a version's Skills with their text; raises `PackageDamaged` or `StoreUnavailable`."""
    if not version.skills:
        return ()
    folder = open_package(
        object_key=version.object_key,
        archive_sha256=version.archive_sha256,
        manifest_revision=version.manifest_revision,
        key=version.key,
    )
    return tuple(ShownSkill(**noted, page=read_skill(folder, noted["path"])) for noted in version.skills)


def list_skills(version: PackageVersion) -> tuple[ShownSkill, ...]:
    """Return what was noted of the Skills, without their text."""
    return tuple(ShownSkill(**noted, page=None) for noted in version.skills)
