"""What one agent may use of one connection."""

import uuid

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext

from connectors.access.models import Agent, User
from connectors.authorization.models import Connection
from connectors.console.answer import answer
from connectors.console.connection_pages import read_tools
from connectors.console.forms.faults import place_error
from connectors.console.forms.grants import GrantForm
from connectors.console.own import own_agent, own_connection
from connectors.console.permissions import PersonRequest, screen
from connectors.console.presentation import describe_connector
from connectors.console.tool_list import group_by_effect
from connectors.errors import Refused
from connectors.policy.grants import remove_grant, set_grant
from connectors.policy.models import Grant
from connectors.policy.queries import find_grant


@screen(methods=("GET", "POST"))
def grant(request: PersonRequest, agent_id: uuid.UUID, connection_id: uuid.UUID) -> HttpResponse:
    person = request.user
    agent, connection = own_agent(person, agent_id), own_connection(person, connection_id)
    present, tools = find_grant(agent, connection), read_tools(connection)
    form = GrantForm(request.POST or None, tools=tools, grant=present, place=connection.pk)
    if form.is_valid():
        try:
            _save(form, present, agent, connection, person)
            messages.success(request, gettext("Saved. It holds from %(agent)s's next call on.") % {"agent": agent.name})
            return redirect(f"{reverse('console:agent', args=[agent.pk])}#grants")
        except Refused as refused:
            place_error(form, refused)
    context = {
        "agent": agent,
        "connection": connection,
        "text": describe_connector(connection.connector),
        "form": form,
        "groups": group_by_effect(tools),
    }
    return answer(
        request, "console/agents/grant.html", context, partial="grant-form", status=422 if form.errors else 200
    )


def _save(form: GrantForm, present: Grant | None, agent: Agent, connection: Connection, person: User) -> None:
    wanted = form.cleaned_data
    if wanted["breadth"] != Grant.Breadth.NONE:
        set_grant(agent=agent, connection=connection, actor=person, **wanted)
    elif present:
        remove_grant(grant=present, actor=person)
