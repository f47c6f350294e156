"""What every page of one connector has at its top, and what its overview tells."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from connectors.audit.usage import usage_by_connector
from connectors.catalogue.models import Connector
from connectors.catalogue.presentation import ConnectorView, present_connector
from connectors.catalogue.queries import reach
from connectors.console.drain_pages import read_drain
from connectors.console.presentation import reader_language
from connectors.lifecycle.queries import find_removal_of


@dataclass(frozen=True, slots=True)
class Tab:
    url: str
    title: str | Promise
    current: bool


TABS: dict[str, str | Promise] = {
    "overview": _("Overview"),
    "ledger": _("Ledger"),
    "configuration": _("Configuration"),
    "tools": _("Tools & policy"),
    "visibility": _("Visibility"),
    "versions": _("Versions"),
    "connections": _("Connections"),
    "calls": _("Calls"),
    "skills": _("Skills"),
}


@dataclass(frozen=True, slots=True)
class Usage:
    people: int
    connections: int
    calls_week: int
    calls_month: int


def frame_connector(connector: Connector, tab: str) -> dict[str, Any]:
    """Return `connector`, its `view` in the reader's language, the `tabs`, and what it is going through."""
    tabs = [
        Tab(reverse(f"console:connector_{name}", args=[connector.key]), title, name == tab)
        for name, title in TABS.items()
    ]
    view: ConnectorView = present_connector(connector, reader_language())
    return {
        "connector": connector,
        "view": view,
        "tabs": tabs,
        "drain": read_drain(connector, tell_end=tab == "overview"),
        "removal": find_removal_of(connector),
    }


def read_usage(connector: Connector) -> Usage:
    """Return who may see it, who connected, and how often it was called."""
    now = timezone.now()
    return Usage(
        people=reach(connector),
        connections=connector.connections.count(),
        calls_week=_count_calls(connector, now - timedelta(days=7)),
        calls_month=_count_calls(connector, now - timedelta(days=30)),
    )


def _count_calls(connector: Connector, since: datetime) -> int:
    return usage_by_connector([connector.key], since=since)[connector.key].calls
