"""Browse what may be connected, and read about one connector."""

from django.http import HttpResponse

from connectors.catalogue.queries import find_visible
from connectors.console.answer import answer
from connectors.console.catalogue_pages import browse, read_connector
from connectors.console.permissions import PersonRequest, screen


@screen()
def catalogue(request: PersonRequest) -> HttpResponse:
    wanted, category = request.GET.get("q", "").strip()[:100], request.GET.get("category", "")
    page = browse(request.user, wanted=wanted, category=category)
    return answer(request, "console/catalogue/list.html", {"page": page}, partial="results")


@screen()
def catalogue_connector(request: PersonRequest, key: str) -> HttpResponse:
    page = read_connector(find_visible(request.user, key), request.user)
    return answer(request, "console/catalogue/connector.html", {"page": page})
