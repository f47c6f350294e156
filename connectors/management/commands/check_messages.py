"""Fail when a text of the code has no Chinese translation."""

from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError

from connectors.management.messages import untranslated


class Command(BaseCommand):
    help = __doc__
    requires_system_checks: list[str] = []

    def handle(self, *_args: Any, **_options: Any) -> None:
        missing = list(untranslated(settings.BASE_DIR))
        for message in missing:
            place = ":".join(map(str, message.locations[0])) if message.locations else "?"
            self.stderr.write(f"{place}: {message.id!r} has no translation")
        if missing:
            msg = f"{len(missing)} texts have no Chinese translation. Run `make messages` and fill them in."
            raise CommandError(msg)
        self.stdout.write("The message catalogue is complete.")
