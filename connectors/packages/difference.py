"""What changes between two packages, in the manifest and beside it (console.md, "Difference on update")."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from connectors.manifest.difference import Change, compare_manifests, order_changes
from connectors.manifest.schema import Manifest
from connectors.packages.inspected import InspectedPackage

_PROGRAM = "provider/"


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two; `skills` and `files` are {key or path: digest}."""

    manifest: Manifest
    texts: Mapping[str, Mapping[str, str]]
    skills: Mapping[str, str]
    files: Mapping[str, str]


def describe_side(package: InspectedPackage) -> Side:
    """Return what of an inspected package is compared."""
    return Side(
        manifest=package.manifest,
        texts=package.texts,
        skills={skill.key: skill.digest for skill in package.skills},
        files={file.path: file.digest for file in package.files},
    )


def compare_packages(old: Side, new: Side) -> tuple[Change, ...]:
    """Every change, most dangerous first. What a Skill or a language holds is told once, not file by file."""
    changes = [*compare_manifests(old.manifest, new.manifest), *_skill_changes(old, new), *_text_changes(old, new)]
    return order_changes([*changes, *_file_changes(old, new)])


def _skill_changes(old: Side, new: Side) -> Iterator[Change]:
    both = old.skills.keys() & new.skills.keys()
    yield from (Change("skill_changed", key) for key in both if old.skills[key] != new.skills[key])


def _text_changes(old: Side, new: Side) -> Iterator[Change]:
    for locale in old.texts.keys() & new.texts.keys():
        before, after = old.texts[locale], new.texts[locale]
        changed = sum(before.get(key) != after.get(key) for key in before.keys() | after.keys())
        if changed:
            yield Change("text_changed", locale, "", str(changed))


def _file_changes(old: Side, new: Side) -> Iterator[Change]:
    told = _told_elsewhere(old.manifest) + _told_elsewhere(new.manifest)
    for path in old.files.keys() | new.files.keys():
        before, after = old.files.get(path), new.files.get(path)
        if before != after and not path.startswith(told):
            act = "added" if before is None else "removed" if after is None else "changed"
            yield Change(f"program_source_{act}" if path.startswith(_PROGRAM) else f"file_{act}", path)


def _told_elsewhere(manifest: Manifest) -> tuple[str, ...]:
    return (*(f"{skill.path}/" for skill in manifest.skills), *(f"locales/{tag}.json" for tag in manifest.locales))
