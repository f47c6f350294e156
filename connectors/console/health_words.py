"""What Health says of each part: what it is, what rests on it, and how to mend it."""

from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True, slots=True)
class PartWords:
    """A part in words: its name, what rests on it, and what to do when it does not answer."""

    title: str | Promise
    purpose: str | Promise
    mend: str | Promise


LOGS: Final[dict[str, str | Promise]] = {
    "calls": _("Calls"),
    "decisions": _("Decisions"),
    "events": _("Admin events"),
    "usage": _("Counts of use"),
}
PARTS: Final = {
    "database": PartWords(
        _("Database"),
        _("Keeps connectors, people, grants and the logs."),
        _("Check that the server named by DATABASE_URL runs and takes connections."),
    ),
    "broker": PartWords(
        _("Broker"),
        _("Wakes the worker up. While it is down, background work waits; nothing is lost."),
        _("Check that the server named by CELERY_BROKER_URL runs."),
    ),
    "worker": PartWords(
        _("Worker"),
        _("Sweeps expired uploads, closes idle runs and cleans up."),
        _("Start it: manage.py up does, and so does celery -A poco.celery worker --beat."),
    ),
    "vault": PartWords(
        _("Vault keys"),
        _("Open the sealed secrets. Without the right keys nobody's credentials work."),
        _("Put back the key ring this database was sealed with; manage.py keys tells which key is missing."),
    ),
    "object_store": PartWords(
        _("Object store"),
        _("Keeps the packages' archives."),
        _("Check that the bucket or folder exists and can be read and written."),
    ),
    "refresh": PartWords(
        _("Refreshing credentials"),
        _("Renews people's credentials before they run out."),
        _("Credentials that are due are not being refreshed. Check that the worker runs with its schedule (--beat)."),
    ),
    "revocation": PartWords(
        _("Revoking credentials"),
        _("Tells services, after somebody disconnects, that the credential is no longer wanted."),
        _("Some were not revoked; they are listed below. Whoever owned the account can end the access at the service."),
    ),
    "removals": PartWords(
        _("Removing connectors"),
        _("Lets go of accounts, tells services, cleans up archives, step by step."),
        _("Some removals do not get on; they are marked below with their last failure and are tried again."),
    ),
    "sweeps": PartWords(
        _("Background work"),
        _("Everything the worker does by the clock, from refreshing to retention."),
        _("Some of it has missed two of its periods; it is listed below. Check that the worker runs with --beat."),
    ),
    "chain": PartWords(
        _("Chain of administrative events"),
        _("Shows whether anybody altered the log afterwards."),
        _("The last verification failed. Keep a copy of the database, then look at Verify & export."),
    ),
}
