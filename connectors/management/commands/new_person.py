"""Create a person and print a one-time sign-in link for them."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand
from django.urls import reverse

from connectors.access.people import create_person
from connectors.access.roles import PERMISSIONS, USER
from connectors.access.sign_in import make_sign_in_link
from connectors.management.refusals import told_in_words

LINK_LIFETIME = timedelta(hours=24)


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="what they sign in as")
        parser.add_argument("--role", choices=list(PERMISSIONS), default=USER)
        parser.add_argument("--display-name", default="")
        parser.add_argument("--email", default="")

    def handle(self, *_args: Any, **options: Any) -> None:
        with told_in_words():
            person = create_person(
                username=options["name"],
                role=options["role"],
                display_name=options["display_name"],
                email=options["email"],
                actor=None,
            )
            token = make_sign_in_link(user=person, lifetime=LINK_LIFETIME)
        self.stdout.write(f"Created {person.username} ({options['role']}). Sign-in link, works once, for 24 hours:")
        self.stdout.write(settings.BACKEND_URL + reverse("console:welcome", args=[token]))
