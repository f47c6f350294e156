"""Install a package and, if asked, publish it.

Secrets come from a file or the environment (--set token=@FILE, --set token=env:NAME), never from the command line
itself, where other processes and the shell's history would see them.
"""

import os
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError

from connectors.catalogue.installation import find_installed, install_package
from connectors.catalogue.publication import publish_connector
from connectors.management.refusals import told_in_words
from connectors.manifest.schema import Manifest
from connectors.packages.inspection import inspect_package


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.add_argument("path", type=Path, help="the package's ZIP")
        parser.add_argument(
            "--set", action="append", default=[], metavar="FIELD=VALUE", help="a configuration field; repeat it"
        )
        parser.add_argument("--publish", action="store_true", help="publish the connector to everyone at once")

    def handle(self, *_args: Any, **options: Any) -> None:
        path: Path = options["path"]
        with told_in_words():
            try:
                package = inspect_package(path, max_zip_bytes=settings.MAX_UPLOAD_SIZE_MB * 1024 * 1024)
            except OSError as error:
                raise CommandError(f"{path}: {error.strerror or 'cannot be read'}") from None
            values = read_settings(options["set"], package.manifest)
            known = find_installed(package) is not None
            connector = install_package(
                archive=path, expected_sha256=package.archive_sha256, raw_configuration=values, actor=None
            )
            name = f"{connector.key} {connector.version.version}"
            self.stdout.write(f"{name} was installed already; nothing changed." if known else f"Installed {name}.")
            if options["publish"]:
                publish_connector(connector=connector, actor=None)
                self.stdout.write(f"Published {connector.key}.")


def read_settings(pairs: list[str], manifest: Manifest) -> dict[str, str]:
    """Return the typed values by field; a secret given inline is refused without repeating it."""
    secret = {field.key for field in manifest.configuration.fields if field.is_secret}
    values = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not equals:
            raise CommandError("--set takes FIELD=VALUE.")
        values[key] = _read_secret(key, text) if key in secret else text
    return values


def _read_secret(key: str, source: str) -> str:
    if source.startswith("@"):
        try:
            return Path(source[1:]).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"{key}: the file {source[1:]!r} cannot be read as text.") from error
    if source.startswith("env:"):
        value = os.environ.get(source.removeprefix("env:"))
        if value is None:
            raise CommandError(f"{key}: the environment has no variable {source.removeprefix('env:')}.")
        return value
    raise CommandError(f"{key} is a secret: pass {key}=@FILE or {key}=env:NAME, not the value itself.")
