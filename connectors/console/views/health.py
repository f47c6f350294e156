"""Health: what this console stands on and what contains packages' programs, asked when the page is opened."""

from django.http import HttpResponse
from django.views.decorators.cache import never_cache

from connectors.authorization.queries import unrevoked
from connectors.console.answer import answer
from connectors.console.containment_words import containment_in_words
from connectors.console.health_pages import read_upkeep
from connectors.console.health_words import PARTS
from connectors.console.permissions import MANAGE_CONNECTORS, PersonRequest, screen
from connectors.ledger.health import check_health

MOST_SHOWN = 50


@never_cache
@screen(MANAGE_CONNECTORS)
def health(request: PersonRequest) -> HttpResponse:
    checked = check_health()
    context = {
        "parts": [(part, PARTS[part.name]) for part in checked],
        "failing": sum(not part.ok for part in checked),
        "layers": containment_in_words(),
        "unrevoked": unrevoked()[:MOST_SHOWN],
        "upkeep": read_upkeep() if checked[0].ok else None,
    }
    return answer(request, "console/health.html", context)
