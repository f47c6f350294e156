"""Everything an administrator sees of a package before anything is written (console.md, Install 2)."""

import base64
import zipfile
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from connectors.catalogue.models import Category
from connectors.console.file_tree import Folder, build_tree
from connectors.console.presentation import name_category, reader_language
from connectors.console.tool_list import EffectGroup, group_by_effect, list_tools
from connectors.manifest.auth import OAuthAuth, StaticDiscovery
from connectors.manifest.fault_messages import FaultText, describe_fault
from connectors.manifest.runtime import FixedEndpoint, RemoteMcpRuntime
from connectors.manifest.schema import Manifest
from connectors.manifest.texts import text_for
from connectors.packages.inspection import InspectedPackage, Skill

MAX_SOURCE_BYTES = 256 * 1024
MAX_SOURCES = 40


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
class Host:
    """Where the package will talk to: a host it names, or the field that will name it."""

    host: str
    field: str
    purpose: str  # tools, authorization


@dataclass(frozen=True, slots=True)
class SourceFile:
    path: str
    text: str


@dataclass(frozen=True, slots=True)
class PackagePreview:
    package: InspectedPackage
    name: str
    description: str
    category: str
    icon: str  # a data: address, or nothing
    locales: tuple[LocaleText, ...]
    asked: tuple[AskedField, ...]
    scopes: tuple[str, ...]
    effects: list[EffectGroup]
    retried: frozenset[str]
    hosts: tuple[Host, ...]
    skills: tuple[Skill, ...]
    tree: Folder
    sources: tuple[SourceFile, ...]
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
        asked=tuple(AskedField(read(field.label_key), field.is_secret, field.required) for field in auth.fields),
        scopes=auth.options.scopes if isinstance(auth, OAuthAuth) else (),
        effects=group_by_effect(list_tools(manifest, None)),
        retried=frozenset(rule.key for rule in manifest.tool_policy.rules if rule.retry == "safe"),
        hosts=_find_hosts(manifest, {field.key: read(field.label_key) for field in manifest.configuration.fields}),
        skills=package.skills,
        tree=build_tree(package.files),
        sources=_read_sources(package, archive),
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


def _find_hosts(manifest: Manifest, labels: dict[str, str]) -> tuple[Host, ...]:
    """Every address the manifest names. A program may open others: its source is shown for that reason."""
    found: list[Host] = []
    if isinstance(manifest.runtime, RemoteMcpRuntime):
        options = manifest.runtime.options
        for endpoint in (options.endpoint, *(server.endpoint for server in options.servers or ())):
            if isinstance(endpoint, FixedEndpoint):
                found.append(Host(urlsplit(endpoint.url).netloc, "", "tools"))
            elif endpoint is not None:
                found.append(Host("", labels.get(endpoint.configuration_field, ""), "tools"))
    if isinstance(manifest.auth, OAuthAuth):
        discovery = manifest.auth.options.discovery
        issuer = discovery.issuer if isinstance(discovery, StaticDiscovery) else discovery.expected_issuer
        found.append(Host(urlsplit(issuer).netloc, "", "authorization"))
    return tuple(dict.fromkeys(found))


def _read_sources(package: InspectedPackage, archive: Path) -> tuple[SourceFile, ...]:
    """The program's Python files as text; the inspection has read the archive already, so its names are safe."""
    program = package.manifest.program
    if program is None:
        return ()
    wanted = [file for file in package.files if file.path.endswith(".py") and file.size <= MAX_SOURCE_BYTES]
    wanted.sort(key=lambda file: (not program.entrypoint.startswith(file.path), file.path))
    sources = []
    with zipfile.ZipFile(archive) as opened:
        wrapper = _wrapping_folder(opened.namelist())
        for file in wanted[:MAX_SOURCES]:
            text = opened.read(wrapper + file.path).decode("utf-8", errors="replace")
            sources.append(SourceFile(file.path, text))
    return tuple(sources)


def _wrapping_folder(names: list[str]) -> str:
    manifest = min((name for name in names if name.endswith("manifest.json")), key=lambda name: name.count("/"))
    return manifest.removesuffix("manifest.json")
