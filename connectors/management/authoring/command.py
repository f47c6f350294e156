"""The author's acts as management commands: they need no database, so no check of it runs either."""

import argparse
import sys
from typing import Any, ClassVar

from django.core.management.base import BaseCommand, CommandParser

from connectors.management.authoring.act import AuthorAct


class AuthorCommand(BaseCommand):
    """Set `act` to one of the modules beside this one."""

    act: AuthorAct
    requires_system_checks: ClassVar[list[str]] = []  # type: ignore[misc]  # an instance attribute in the stubs
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        self.act.add_arguments(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        code = self.act.run(argparse.Namespace(**options), sys.stdout, sys.stderr)
        if code:
            sys.exit(code)
