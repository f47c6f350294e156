"""Create an agent, grant it connectors, and print its token: once, as the last line.

A granted connector that asks for no authorization is connected for the owner when it is not yet; any other has to be
connected in the console first. A grant is for all tools, to read and to write.
"""

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from typing import Any

from django.core.management import BaseCommand, CommandError
from django.db import transaction

from connectors.access.agents import create_agent
from connectors.access.models import User
from connectors.authorization.complete import connect_account
from connectors.authorization.models import Connection
from connectors.authorization.queries import usable_connections
from connectors.catalogue.queries import find_visible
from connectors.catalogue.versions import manifest_of
from connectors.management.refusals import told_in_words
from connectors.policy.grants import set_grant
from connectors.policy.models import Grant


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.add_argument("--owner", required=True, help="what its owner signs in as")
        parser.add_argument("--name", required=True)
        parser.add_argument("--grant", action="append", default=[], metavar="CONNECTOR_KEY", help="repeat it for more")

    def handle(self, *_args: Any, **options: Any) -> None:
        owner = User.objects.filter(username=options["owner"]).first()
        if owner is None:
            raise CommandError(f"Nobody signs in as {options['owner']!r}.")
        with told_in_words():
            connections = [find_or_connect(owner, key) for key in dict.fromkeys(options["grant"])]
            with transaction.atomic():
                agent, token = create_agent(owner=owner, name=options["name"])
                for connection in connections:
                    set_grant(
                        agent=agent,
                        connection=connection,
                        breadth=Grant.Breadth.ALL,
                        access=Grant.Access.READ_WRITE,
                        actor=owner,
                    )
        granted = ", ".join(connection.connector.key for connection in connections) or "nothing yet"
        self.stdout.write(f"Created {agent.name} for {owner.username}; granted: {granted}. Its token, shown once:")
        self.stdout.write(token)


def find_or_connect(owner: User, key: str) -> Connection:
    """Return the owner's one usable connection at a connector, connecting where no account is asked for."""
    connector = find_visible(owner, key)
    usable = list(usable_connections(owner).filter(connector=connector)[:2])
    if len(usable) > 1:
        raise CommandError(f"{owner.username} has several accounts at {key}: grant one of them in the console.")
    if usable:
        return usable[0]
    if manifest_of(connector.version).auth.strategy != "none":
        raise CommandError(f"{owner.username} has not connected {key} yet: connect it in the console first.")
    return connect_account(person=owner, connector=connector)
