"""Everything an administrator sees of a package before anything is written (console.md, Install 2)."""

import base64
from dataclasses import dataclass
from pathlib import Path

from connectors.catalogue.models import Category
from connectors.console.file_tree import Tree, build_tree
from connectors.console.package_hosts import Host, find_hosts
from connectors.console.package_source import ProgramSource, read_source
from connectors.console.presentation import name_category, reader_language
from connectors.console.tool_list import EffectGroup, group_by_effect, list_tools
from connectors.manifest.auth import OAuthAuth
from connectors.manifest.fault_messages import FaultText, describe_fault
from connectors.manifest.schema import Manifest
from connectors.manifest.texts import text_for
from connectors.packages.inspection import InspectedPackage, Skill


@dataclass(frozen=True, slots=True)
class LocaleText:
    locale: str
    name: str
    description: str
    default: bool


@dataclass(frozen=True, slots=True)
class AskedField:
    label: str
    secret: bool
    required: bool


@dataclass(frozen=True, slots=True)
class PackagePreview:
    package: InspectedPackage
    name: str
    description: str
    category: str
    icon: str  # a data: address, or nothing
    locales: tuple[LocaleText, ...]
    configured: tuple[AskedField, ...]
    asked: tuple[AskedField, ...]
    scopes: tuple[str, ...]
    effects: list[EffectGroup]
    retried: frozenset[str]
    hosts: tuple[Host, ...]
    skills: tuple[Skill, ...]
    tree: Tree
    source: ProgramSource
    warnings: tuple[FaultText, ...]

    @property
    def manifest(self) -> Manifest:
        return self.package.manifest


def build_preview(package: InspectedPackage, archive: Path) -> PackagePreview:
    """Return the preview in the reader's language."""
    manifest = package.manifest
    language = reader_language()

    def read(key: str | None) -> str:
        return text_for(package.texts, key, language=language, default_locale=manifest.default_locale)

    auth = manifest.auth
    return PackagePreview(
        package=package,
        name=read(manifest.presentation.name_key),
        description=read(manifest.presentation.description_key),
        category=name_category(Category(key=manifest.presentation.category)),
        icon=_icon(package),
        locales=tuple(_read_locale(package, locale) for locale in manifest.locales),
        configured=tuple(
            AskedField(read(field.label_key), field.is_secret, field.required)
            for field in manifest.configuration.fields
        ),
        asked=tuple(AskedField(read(field.label_key), field.is_secret, field.required) for field in auth.fields),
        scopes=auth.options.scopes if isinstance(auth, OAuthAuth) else (),
        effects=group_by_effect(list_tools(manifest, None)),
        retried=frozenset(rule.key for rule in manifest.tool_policy.rules if rule.retry == "safe"),
        hosts=find_hosts(manifest, {field.key: read(field.label_key) for field in manifest.configuration.fields}),
        skills=package.skills,
        tree=build_tree(package.files),
        source=read_source(package, archive),
        warnings=tuple(describe_fault(fault, language) for fault in package.warnings),
    )


def read_name(package: InspectedPackage) -> str:
    """Return the package's name in the reader's language."""
    manifest = package.manifest
    return text_for(
        package.texts,
        manifest.presentation.name_key,
        language=reader_language(),
        default_locale=manifest.default_locale,
    )


def _icon(package: InspectedPackage) -> str:
    if package.icon is None:
        return ""
    return f"data:{package.icon.media_type};base64,{base64.b64encode(package.icon.content).decode()}"


def _read_locale(package: InspectedPackage, locale: str) -> LocaleText:
    presentation, texts = package.manifest.presentation, package.texts.get(locale, {})
    return LocaleText(
        locale=locale,
        name=texts.get(presentation.name_key, ""),
        description=texts.get(presentation.description_key, ""),
        default=locale == package.manifest.default_locale,
    )
