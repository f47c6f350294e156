"""Extract the texts of code and templates into the catalogue; then translate what is empty."""

from typing import Any

from django.conf import settings
from django.core.management import BaseCommand

from connectors.management.messages import catalog_path, untranslated, update_catalog


class Command(BaseCommand):
    help = __doc__
    requires_system_checks: list[str] = []

    def handle(self, *_args: Any, **_options: Any) -> None:
        update_catalog(settings.BASE_DIR)
        waiting = sum(1 for _ in untranslated(settings.BASE_DIR))
        self.stdout.write(f"{catalog_path(settings.BASE_DIR).relative_to(settings.BASE_DIR)}: {waiting} to translate")
