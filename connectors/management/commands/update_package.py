"""Update an installed connector to a higher version of its package.

Fields that both versions declare keep their values; --set gives new ones, secrets from a file or the environment as
install_package takes them. Each risk the new version raises has to be accepted: without --accept they are listed, and
nothing is changed.
"""

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError

from connectors.lifecycle.drain import UpdateChange, start_drain
from connectors.lifecycle.preview import UpdatePreview
from connectors.lifecycle.update import preview_update, update_connector
from connectors.lifecycle.version_change import Typed
from connectors.management.commands.install_package import read_settings
from connectors.management.drain_deadline import add_deadline
from connectors.management.refusals import told_in_words
from connectors.packages.inspection import InspectedPackage, inspect_package

ALL = "all"


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.add_argument("path", type=Path, help="the new version's ZIP")
        parser.add_argument(
            "--set", action="append", default=[], metavar="FIELD=VALUE", help="a configuration field; repeat it"
        )
        parser.add_argument(
            "--clear", action="append", default=[], metavar="FIELD", help="an optional secret to clear; repeat it"
        )
        parser.add_argument(
            "--accept",
            action="append",
            default=[],
            metavar="RISK",
            help=f"a raised risk as listed, or {ALL}; repeat it",
        )
        parser.add_argument(
            "--drain", action="store_true", help="if the connector is in use: wait, refusing new runs, then update"
        )
        add_deadline(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        path: Path = options["path"]
        with told_in_words():
            package = _inspect(path)
            values = read_settings(options["set"], package.manifest)
            typed = Typed(values, frozenset(options["clear"]))
            preview = preview_update(package=package, typed=typed)
            self._tell_risks(preview, options["accept"])
            typed = replace(typed, accepted=_accepted(preview, options["accept"]))
            change = UpdateChange(path, package.archive_sha256, typed)
            self._make(preview, change, options)

    def _tell_risks(self, preview: UpdatePreview, accepted: list[str]) -> None:
        for change in preview.raised:
            if change.id not in _accepted(preview, accepted):
                self.stderr.write(f"Not accepted: {change.id}")
        if preview.fields_dropped:
            self.stderr.write(
                f"Removed for good, a roll back does not bring it back: {', '.join(preview.fields_dropped)}"
            )

    def _make(self, preview: UpdatePreview, change: UpdateChange, options: dict[str, Any]) -> None:
        connector, version = preview.connector, preview.target_version
        if options["drain"] and preview.occupants:
            start_drain(connector=connector, change=change, end_runs_after=options["end_runs_after"], actor=None)
            self.stdout.write(f"{connector.key} will be updated to {version} when it is no longer in use.")
            return
        update_connector(
            connector=connector,
            archive=change.archive,
            expected_sha256=change.expected_sha256,
            typed=change.typed,
            actor=None,
        )
        self.stdout.write(f"Updated {connector.key} to {version}.")
        if preview.reauthorize:
            self.stdout.write(f"People who have to authorize again: {preview.reauthorize}.")


def _inspect(path: Path) -> InspectedPackage:
    try:
        return inspect_package(path, max_zip_bytes=settings.MAX_UPLOAD_SIZE_MB * 1024 * 1024)
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror or 'cannot be read'}") from None


def _accepted(preview: UpdatePreview, named: list[str]) -> frozenset[str]:
    raised = {change.id for change in preview.raised}
    return frozenset(raised if ALL in named else raised & set(named))
