"""Two tabs of a connector: who is connected at it, and what its Skills say."""

from django.http import HttpResponse

from connectors.authorization.models import Connection
from connectors.catalogue.queries import find_connector
from connectors.console.answer import answer
from connectors.console.connection_listing import list_connections, read_connection_filters
from connectors.console.connector_pages import frame_connector
from connectors.console.messages import describe_error
from connectors.console.permissions import MANAGE_CONNECTORS, PersonRequest, screen
from connectors.console.skill_pages import list_skills, read_skills
from connectors.errors import Failed


@screen(MANAGE_CONNECTORS)
def connector_connections(request: PersonRequest, key: str) -> HttpResponse:
    connector, filters = find_connector(key), read_connection_filters(request.GET)
    context = frame_connector(connector, "connections") | {
        "filters": filters,
        "page": list_connections(connector, filters),
        "states": Connection.State.values,
    }
    return answer(request, "console/connectors/connections.html", context, partial="results")


@screen(MANAGE_CONNECTORS)
def connector_skills(request: PersonRequest, key: str) -> HttpResponse:
    connector = find_connector(key)
    context = frame_connector(connector, "skills")
    try:
        context["skills"] = read_skills(connector.version)
    except Failed as error:
        context |= {"skills": list_skills(connector.version), "told": describe_error(error)}
    return answer(request, "console/connectors/skills.html", context)
