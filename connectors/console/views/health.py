"""Health: what this console stands on and what contains package programs, asked when the page is opened."""

from typing import Any

from django.http import HttpResponse
from django.views.decorators.cache import never_cache

from connectors.console.answer import answer
from connectors.console.health_words import LAYERS, PARTS, REASONS
from connectors.console.messages import describe_error
from connectors.console.permissions import MANAGE_CONNECTORS, PersonRequest, screen
from connectors.errors import ConnectorError
from connectors.ledger.health import check_health
from connectors.runtime.containment import describe_containment


@never_cache
@screen(MANAGE_CONNECTORS)
def health(request: PersonRequest) -> HttpResponse:
    checked = check_health()
    context = {
        "parts": [(part, PARTS[part.name]) for part in checked],
        "failing": sum(not part.ok for part in checked),
        **_containment(),
    }
    return answer(request, "console/health.html", context)


def _containment() -> dict[str, Any]:
    try:
        layers = describe_containment()
    except ConnectorError as error:
        return {"containment_fault": describe_error(error)}
    return {
        "layers": [
            (layer, LAYERS.get(layer.name, layer.name), REASONS.get(layer.reason, layer.reason)) for layer in layers
        ]
    }
