"""Write what `docs/` says about faults and the manifest's schema, from the code that decides both."""

import sys
from typing import Any, ClassVar

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from connectors.management.authoring.documents import render_documents, stale_documents


class Command(BaseCommand):
    help = "Write docs/schemas/manifest-v1.json and the fault tables of docs/package-authoring.md."
    requires_system_checks: ClassVar[list[str]] = []  # type: ignore[misc]  # an instance attribute in the stubs

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if something is out of date")

    def handle(self, *_args: Any, **options: Any) -> None:
        stale = stale_documents(settings.BASE_DIR)
        if options["check"]:
            self.stdout.writelines(f"out of date: {path}" for path in stale)
            sys.exit(1 if stale else 0)
        documents = render_documents(settings.BASE_DIR)
        for path in stale:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(documents[path], encoding="utf-8")
            self.stdout.write(f"written: {path}")
