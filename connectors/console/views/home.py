"""The landing page: by role, what needs a person first."""

from django.http import HttpResponse

from connectors.console.answer import answer
from connectors.console.client_configuration import endpoint_url, write_snippets
from connectors.console.home_pages import read_home
from connectors.console.permissions import PersonRequest, screen


@screen()
def home(request: PersonRequest) -> HttpResponse:
    page = read_home(request.user)
    first = page.agents[0].agent.name if page.agents else "agent"
    context = {"page": page, "endpoint": endpoint_url(), "snippets": write_snippets(first)}
    return answer(request, "console/home/home.html", context)
