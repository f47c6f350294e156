"""The smallest world in which a tool can be called: one person, one agent, one published connector, one upstream."""

from typing import Any, Self

from django.db import transaction

from connectors.access.epoch import bump_catalogue, bump_person
from connectors.authorization.models import Connection
from connectors.catalogue.models import Connector
from tests.builders.connectors import make_agent, make_connection, make_connector, make_grant
from tests.builders.people import make_user
from tests.fakes.gateway_server import Gateway
from tests.fakes.mcp_server import McpServer, tool

RULES = (
    {"tool": "search_notes", "effect": "read", "retry": "safe"},
    {"tool": "add_note", "effect": "write", "retry": "never", "confirmation": "not_required"},
    {"tool": "delete_note", "effect": "destructive", "retry": "never", "confirmation": "user_required"},
)
TOOLS = ("search_notes", "add_note", "delete_note", "not_in_policy")


class World:
    def __init__(self, served: Gateway, **knobs: Any) -> None:
        self.upstream = McpServer([tool(name) for name in TOOLS], **knobs)
        self.served = served

    def __enter__(self) -> Self:
        self.upstream.__enter__()
        self.owner = make_user()
        self.agent, token = make_agent(self.owner)
        self.gateway = self.served.holding(token)
        self.connector = make_connector("notes", endpoint=self.upstream.url, rules=RULES)
        self.connection = make_connection(self.owner, self.connector)
        self.grant = make_grant(self.agent, self.connection)
        return self

    def __exit__(self, *exception: object) -> None:
        self.upstream.__exit__(*exception)

    def change(self, row: Any, **values: Any) -> None:
        """Change a row as an action would: with the epochs that announce it."""
        with transaction.atomic():
            for name, value in values.items():
                setattr(row, name, value)
            row.save()
            self.announce()

    def announce(self) -> None:
        with transaction.atomic():
            bump_person(self.owner.pk)
            bump_catalogue()

    def connect(self, connector: Connector, **fields: Any) -> Connection:
        """Another account of the owner's, granted in full."""
        connection = make_connection(self.owner, connector, **fields)
        make_grant(self.agent, connection)
        self.announce()
        return connection
