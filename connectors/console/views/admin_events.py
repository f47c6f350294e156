"""Admin events: who changed what in the set-up."""

from django.http import HttpResponse

from connectors.console.answer import answer
from connectors.console.log_lists import list_events
from connectors.console.permissions import VIEW_AUDIT, PersonRequest, screen


@screen(VIEW_AUDIT)
def admin_events(request: PersonRequest) -> HttpResponse:
    return answer(request, "console/admin_events/list.html", {"log": list_events(request.GET)}, partial="results")
