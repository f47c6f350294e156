"""Remove a connector with every account connected to it.

It is out of use at once; revocations, versions and archives follow in the worker. There is no way back.
"""

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from typing import Any

from django.core.management import BaseCommand

from connectors.catalogue.models import Connector
from connectors.catalogue.queries import find_connector
from connectors.errors import Conflict
from connectors.lifecycle.abandoning import abandon_revocations
from connectors.lifecycle.drain import RemovalChange, start_drain
from connectors.lifecycle.queries import find_removal_of
from connectors.lifecycle.removal import check_typed_key, preview_removal, remove_connector
from connectors.management.drain_deadline import add_deadline
from connectors.management.refusals import told_in_words


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.add_argument("key", help="the connector's key")
        parser.add_argument("--confirm", required=True, metavar="KEY", help="the key once more")
        parser.add_argument(
            "--drain", action="store_true", help="if the connector is in use: wait, refusing new runs, then remove"
        )
        add_deadline(parser)
        parser.add_argument(
            "--abandon-revocations",
            action="store_true",
            help="go on with a removal under way, without the revocations it still waits for; Health lists them",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        with told_in_words():
            connector = find_connector(options["key"])
            check_typed_key(connector, options["confirm"])
            if options["abandon_revocations"]:
                self._abandon(connector)
                return
            preview = preview_removal(connector=connector)
            if options["drain"] and preview.occupants:
                change = RemovalChange(options["confirm"])
                start_drain(connector=connector, change=change, end_runs_after=options["end_runs_after"], actor=None)
                self.stdout.write(f"{connector.key} will be removed when it is no longer in use.")
                return
            remove_connector(connector=connector, typed_key=options["confirm"], actor=None)
            self.stdout.write(f"Removed {connector.key} and {preview.connections} accounts; the worker cleans up.")

    def _abandon(self, connector: Connector) -> None:
        removal = find_removal_of(connector)
        if removal is None:
            raise Conflict("removal_not_revoking", key=connector.key)
        abandon_revocations(removal=removal, actor=None)
        self.stdout.write(f"The removal of {connector.key} goes on without what was still to be revoked.")
