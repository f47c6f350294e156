"""Health: what this console stands on, asked when the page is opened."""

from dataclasses import dataclass

from django.http import HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache

from connectors.console.answer import answer
from connectors.console.containment_words import containment_in_words
from connectors.console.permissions import MANAGE_CONNECTORS, PersonRequest, screen
from connectors.ledger.health import PartHealth, check_health


@dataclass(frozen=True, slots=True)
class PartWords:
    """A part in words: what it is, what rests on it, and what to do when it does not answer."""

    title: str | Promise
    purpose: str | Promise
    mend: str | Promise


PARTS = {
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
}


@never_cache
@screen(MANAGE_CONNECTORS)
def health(request: PersonRequest) -> HttpResponse:
    checked: tuple[PartHealth, ...] = check_health()
    parts = [(part, PARTS[part.name]) for part in checked]
    failing = sum(not part.ok for part in checked)
    context = {"parts": parts, "failing": failing, "layers": containment_in_words()}
    return answer(request, "console/health.html", context)
