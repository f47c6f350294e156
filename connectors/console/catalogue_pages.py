"""What the catalogue and a connector's page show."""

from dataclasses import dataclass
from uuid import UUID

from connectors.access.models import User
from connectors.authorization.models import Connection
from connectors.catalogue.models import Category, Connector
from connectors.catalogue.presentation import ConnectorView, present_connector
from connectors.catalogue.queries import visible_connectors
from connectors.catalogue.versions import manifest_of
from connectors.console.connection_states import Badge, describe_state
from connectors.console.own import own_connections
from connectors.console.presentation import ConnectorText, describe_connectors, name_category, reader_language
from connectors.console.tool_list import EffectGroup, group_by_effect, list_tools
from connectors.console.typo_search import score
from connectors.manifest.auth import OAuthAuth

ONE_CLICK = frozenset({"none", "redirect"})  # nothing is typed here
MOST_ACCOUNTS = 5


@dataclass(frozen=True, slots=True)
class Card:
    """One connector in the catalogue, with the reader's own accounts at it."""

    connector: Connector
    text: ConnectorText
    badges: tuple[Badge, ...]

    @property
    def worst(self) -> Badge | None:
        return min(self.badges, key=lambda badge: badge.working, default=None)


@dataclass(frozen=True, slots=True)
class Shelf:
    key: str
    name: str
    cards: tuple[Card, ...]
    icon: str = ""


@dataclass(frozen=True, slots=True)
class CataloguePage:
    """`shelves` are what is shown; `categories` all there are, to choose one. `total` counts before any narrowing."""

    shelves: list[Shelf]
    categories: list[tuple[str, str]]
    total: int
    wanted: str
    category: str

    @property
    def found(self) -> int:
        return sum(len(shelf.cards) for shelf in self.shelves)


@dataclass(frozen=True, slots=True)
class Account:
    connection: Connection
    badge: Badge


@dataclass(frozen=True, slots=True)
class Offer:
    """Whether and how the reader can connect one more account; `why_not` is a code the template puts in words."""

    possible: bool
    one_click: bool
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class ConnectorPage:
    connector: ConnectorView
    groups: list[EffectGroup]
    accounts: list[Account]
    offer: Offer
    scopes: tuple[str, ...] = ()


def browse(person: User, *, wanted: str, category: str) -> CataloguePage:
    """The connectors a person may see, by category; when something is searched for, the best match first."""
    connectors = list(visible_connectors(person).select_related(None).only("key", "version", "category"))
    texts = describe_connectors(connectors)
    badges = _badges(person, {connector.pk for connector in connectors})
    cards = [Card(connector, texts[connector.pk], badges.get(connector.pk, ())) for connector in connectors]
    by_category: dict[UUID, list[Card]] = {}
    for card in cards:
        by_category.setdefault(card.connector.category_id, []).append(card)
    categories = sorted(Category.objects.in_bulk(by_category).values(), key=lambda each: (each.position, each.key))
    shown = [each for each in categories if category in ("", each.key)]
    if wanted:
        shelves = [Shelf("", "", _best_first([card for each in shown for card in by_category[each.pk]], wanted))]
    else:
        shelves = [Shelf(each.key, name_category(each), tuple(by_category[each.pk]), each.icon) for each in shown]
    return CataloguePage(
        shelves=[shelf for shelf in shelves if shelf.cards],
        categories=[(each.key, name_category(each)) for each in categories],
        total=len(cards),
        wanted=wanted,
        category=category,
    )


def read_connector(connector: Connector, person: User) -> ConnectorPage:
    """A connector the reader may see. Before connecting, the package alone says which tools there are."""
    manifest = manifest_of(connector.version)
    mine = own_connections(person).filter(connector=connector).order_by("alias")
    accounts = [Account(found, describe_state(found, visible={connector.pk})) for found in mine]
    view = present_connector(connector, reader_language())
    return ConnectorPage(
        connector=view,
        groups=group_by_effect(list_tools(manifest, None)),
        accounts=accounts,
        offer=offer_for(view.interaction, view.connection_policy, accounts),
        scopes=manifest.auth.options.scopes if isinstance(manifest.auth, OAuthAuth) else (),
    )


def offer_for(interaction: str, policy: str, accounts: list[Account]) -> Offer:
    """An account that must reconnect does not stand in the way: connecting again replaces it."""
    one_click = interaction in ONE_CLICK
    usable = sum(not account.badge.ended for account in accounts)
    if policy == "single_per_user" and usable:
        return Offer(possible=False, one_click=one_click, why_not="connected")
    if usable >= MOST_ACCOUNTS:
        return Offer(possible=False, one_click=one_click, why_not="most")
    return Offer(possible=True, one_click=one_click)


def _badges(person: User, visible: set[UUID]) -> dict[UUID, tuple[Badge, ...]]:
    badges: dict[UUID, tuple[Badge, ...]] = {}
    for connection in own_connections(person):
        badge = describe_state(connection, visible=visible)
        badges[connection.connector_id] = (*badges.get(connection.connector_id, ()), badge)
    return badges


def _best_first(cards: list[Card], wanted: str) -> tuple[Card, ...]:
    scored = [(score(wanted, name=card.text.name, words=card.text.words), card) for card in cards]
    matches = [pair for pair in scored if pair[0]]
    return tuple(card for _score, card in sorted(matches, key=lambda pair: -pair[0]))
