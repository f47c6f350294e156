"""What people read about a connector, in a language: parsed from its manifest and texts, frozen, ready for a page."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from connectors.catalogue.models import Category, Connector, PackageIcon, PackageVersion
from connectors.catalogue.versions import manifest_of
from connectors.manifest.presentation import ConnectionAction, OpenService, Section
from connectors.manifest.texts import text_for


@dataclass(frozen=True, slots=True)
class Item:
    title: str
    description: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class SectionView:
    """One section of the page; `type` is notice, capability_list, example_list or help_links (handbook §4)."""

    type: str
    title: str
    description: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class ActionView:
    """`reauthorize`, or `open_service` at `url` or, when that is empty, at what the program's `launch_url` answers."""

    type: str
    label: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class ConnectorView:
    id: UUID
    key: str
    version: str
    status: str
    name: str
    description: str
    icon_digest: str
    category_key: str
    category: str
    sections: tuple[SectionView, ...]
    actions: tuple[ActionView, ...]
    strategy: str
    interaction: str
    connection_policy: str


def present_connector(connector: Connector, language: str) -> ConnectorView:
    """Return the connector as its page shows it; texts fall back to the package's default locale."""
    manifest = manifest_of(connector.version)
    reader = _Reader(connector.version, manifest.default_locale, language)
    presentation = manifest.presentation
    return ConnectorView(
        id=connector.pk,
        key=connector.key,
        version=connector.version.version,
        status=connector.status,
        name=reader.read(presentation.name_key),
        description=reader.read(presentation.description_key),
        icon_digest=icon_digest(connector.version),
        category_key=connector.category.key,
        category=name_category(connector.category, language),
        sections=tuple(_present_section(section, reader) for section in presentation.sections),
        actions=tuple(_present_action(action, reader) for action in presentation.connection_actions),
        strategy=manifest.auth.strategy,
        interaction=manifest.auth.interaction,
        connection_policy=manifest.connection_policy,
    )


def icon_digest(version: PackageVersion) -> str:
    """Return the digest the version's icon is served under, or nothing."""
    return PackageIcon.objects.filter(version=version).values_list("digest", flat=True).first() or ""


def name_category(category: Category, language: str) -> str:
    """Return what people call a category: the administrator's word for it, or a readable form of its key."""
    return category.display_name(language)


@dataclass(frozen=True, slots=True)
class _Reader:
    version: PackageVersion
    default_locale: str
    language: str

    def read(self, key: str | None) -> str:
        if key is None:
            return ""
        texts: dict[str, dict[str, str]] = self.version.texts
        return text_for(texts, key, language=self.language, default_locale=self.default_locale)


def _present_section(section: Section, reader: _Reader) -> SectionView:
    items = tuple(
        Item(reader.read(item.title_key), reader.read(item.description_key), getattr(item, "url", ""))
        for item in section.items
    )
    return SectionView(section.type, reader.read(section.title_key), reader.read(section.description_key), items)


def _present_action(action: ConnectionAction, reader: _Reader) -> ActionView:
    url: Any = action.url if isinstance(action, OpenService) else ""
    return ActionView(action.type, reader.read(action.label_key), url or "")
