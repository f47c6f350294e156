"""The acts on several connectors at once, in words, with what each would do and what it did."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from connectors.access.models import User
from connectors.catalogue.bulk import (
    BulkRow,
    Outcome,
    categorize_connectors,
    disable_connectors,
    publish_connectors,
)
from connectors.catalogue.models import Category, Connector
from connectors.catalogue.queries import count_reach, installed_connectors
from connectors.console.messages import describe_error
from connectors.console.presentation import ConnectorText, describe_connectors, name_category


@dataclass(frozen=True, slots=True)
class BulkAct:
    name: str
    title: str | Promise
    lead: str | Promise
    button: str | Promise
    danger: bool = False
    needs_category: bool = False


ACTS: Final = {
    act.name: act
    for act in (
        BulkAct(
            "publish",
            _("Publish connectors"),
            _("Each appears to those its own visibility names. To change who that is, publish it from its own page."),
            _("Publish"),
        ),
        BulkAct(
            "disable",
            _("Withdraw connectors"),
            _("Agents' next calls to them are refused. Connections and grants stay, and work again once published."),
            _("Withdraw"),
            danger=True,
        ),
        BulkAct(
            "categorize",
            _("Set the category of connectors"),
            _("An update keeps a category you choose; it stands last in it until you move it."),
            _("Set category"),
            needs_category=True,
        ),
    )
}


@dataclass(frozen=True, slots=True)
class BulkLine:
    """One connector on the page: as it is, and what would happen or what happened; `outcome` names the badge."""

    key: str
    text: ConnectorText | None
    connector: Connector | None
    category: str
    told: str
    outcome: Outcome | None = None


def foresee(act: BulkAct, keys: Sequence[str]) -> tuple[BulkLine, ...]:
    """Return what the act would do to each; a key that names none is left out here and refused when it is done."""
    found = list(installed_connectors().filter(key__in=keys))
    texts = describe_connectors(found)
    people = count_reach(found) if act.name == "publish" else {}
    tell: dict[str, Callable[[Connector], str]] = {
        "publish": lambda each: _foresee_publishing(each, people.get(each.pk, 0)),
        "disable": _foresee_withdrawing,
        "categorize": lambda each: name_category(each.category),
    }
    return tuple(
        BulkLine(each.key, texts[each.pk], each, name_category(each.category), tell[act.name](each)) for each in found
    )


def carry_out(act: BulkAct, keys: Sequence[str], *, category: Category | None, actor: User) -> tuple[BulkLine, ...]:
    """Do it, each on its own, and return what became of each."""
    if act.name == "publish":
        rows = publish_connectors(keys=keys, actor=actor)
    elif act.name == "disable":
        rows = disable_connectors(keys=keys, actor=actor)
    else:
        rows = categorize_connectors(keys=keys, category=category, actor=actor)
    texts = describe_connectors(row.connector for row in rows if row.connector)
    return tuple(_line(row, texts[row.connector.pk] if row.connector else None) for row in rows)


def _line(row: BulkRow, text: ConnectorText | None) -> BulkLine:
    category = name_category(row.connector.category) if row.connector else ""
    told = str(describe_error(row.why)) if row.why else ""
    return BulkLine(row.key, text, row.connector, category, told, row.outcome)


def _foresee_publishing(connector: Connector, people: int) -> str:
    if connector.status == Connector.Status.PUBLISHED:
        return gettext("Published already: stays as it is.")
    told = ngettext("%(count)d person will see it.", "%(count)d people will see it.", people)
    return told % {"count": people}


def _foresee_withdrawing(connector: Connector) -> str:
    match connector.status:
        case Connector.Status.DRAFT:
            return gettext("A draft: there is nothing to withdraw.")
        case Connector.Status.DISABLED:
            return gettext("Withdrawn already: stays as it is.")
        case _:
            return gettext("Its calls are refused from now on.")
