"""What people read about connectors in a list, in their language.

Package versions never change, so what was read once from one is kept in the process: a list of 200 connectors opens
no manifest twice. One connector's own page reads all of it through `catalogue.presentation`.
"""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import get_language

from connectors.catalogue import presentation
from connectors.catalogue.models import Category, Connector, PackageIcon, PackageVersion
from connectors.console.typo_search import split_words
from connectors.manifest.texts import text_for

REMEMBERED = 5_000
_remembered: dict[tuple[uuid.UUID, str], "ConnectorText"] = {}


@dataclass(frozen=True, slots=True)
class ConnectorText:
    """`words` is what a search looks through: name and description in every language, and the tools' names."""

    name: str
    description: str
    icon: str  # the digest that /icons/ answers to, or nothing
    words: frozenset[str] = field(repr=False)

    def __str__(self) -> str:
        return self.name


def describe_connectors(connectors: Iterable[Connector]) -> dict[uuid.UUID, ConnectorText]:
    """By connector id, the texts of each in the reader's language; at most two queries."""
    language = reader_language()
    wanted = {connector.pk: connector.version_id for connector in connectors}
    missing = {version for version in wanted.values() if (version, language) not in _remembered}
    if missing:
        _remember(missing, language)
    return {connector: _remembered[version, language] for connector, version in wanted.items()}


def describe_connector(connector: Connector) -> ConnectorText:
    return describe_connectors([connector])[connector.pk]


def describe_keys(keys: Iterable[str]) -> dict[str, str]:
    """Names by connector key for log pages; of a connector that is gone only the key is known."""
    wanted = {key: key for key in keys}
    connectors = list(Connector.objects.filter(key__in=wanted).only("key", "version_id").order_by())
    texts = describe_connectors(connectors)
    return wanted | {connector.key: texts[connector.pk].name for connector in connectors}


def name_category(category: Category) -> str:
    return presentation.name_category(category, reader_language())


def reader_language() -> str:
    return get_language() or "en"


def _remember(missing: set[uuid.UUID], language: str) -> None:
    if len(_remembered) > REMEMBERED:
        _remembered.clear()
    icons = dict(PackageIcon.objects.filter(version__in=missing).values_list("version_id", "digest"))
    rows = PackageVersion.objects.filter(pk__in=missing).values_list(
        "pk", "manifest__presentation", "manifest__tool_policy__rules", "manifest__default_locale", "texts"
    )
    for pk, shown, rules, default_locale, texts in rows.order_by():
        name, description = shown["name_key"], shown["description_key"]
        _remembered[pk, language] = ConnectorText(
            name=text_for(texts, name, language=language, default_locale=default_locale),
            description=text_for(texts, description, language=language, default_locale=default_locale),
            icon=icons.get(pk, ""),
            words=_words(texts, (name, description), rules or ()),
        )


def _words(
    texts: Mapping[str, Mapping[str, str]], keys: Iterable[str], rules: Iterable[Mapping[str, Any]]
) -> frozenset[str]:
    read = [locale.get(key, "") for locale in texts.values() for key in keys]
    return split_words(" ".join([*read, *(rule["tool"] for rule in rules)]))
