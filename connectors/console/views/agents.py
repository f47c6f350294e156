"""My agents: what holds a token and acts for me."""

import uuid

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext

from connectors.access.agents import create_agent, retire_agent
from connectors.console.agent_pages import list_agents, list_tokens, read_matrix
from connectors.console.answer import answer
from connectors.console.client_configuration import endpoint_url, write_snippets
from connectors.console.forms.agents import AgentForm, TokenForm
from connectors.console.forms.faults import place_error
from connectors.console.own import own_agent
from connectors.console.permissions import PersonRequest, screen
from connectors.console.submitted_once import claim_submission, new_submission
from connectors.console.views.tokens import show_token_once
from connectors.errors import Refused


@screen()
def agents(request: PersonRequest) -> HttpResponse:
    context = {"agents": list_agents(request.user), "endpoint": endpoint_url()}
    return answer(request, "console/agents/list.html", context)


@screen(methods=("GET", "POST"))
def agent_create(request: PersonRequest) -> HttpResponse:
    form = AgentForm(request.POST or None, auto_id="field-%s")
    if form.is_valid():
        if not claim_submission(request):
            messages.info(request, gettext("That agent was already made. Its token is not shown again."))
            return redirect("console:agents")
        try:
            agent, token = create_agent(
                owner=request.user, name=form.cleaned_data["name"], lifetime=form.cleaned_data["lifetime"]
            )
            return show_token_once(request, agent, token)
        except Refused as refused:
            place_error(form, refused, where="name")
    context = {"form": form, "submission": new_submission()}
    return answer(request, "console/agents/create.html", context, status=422 if form.errors else 200)


@screen()
def agent(request: PersonRequest, agent_id: uuid.UUID) -> HttpResponse:
    person = request.user
    found = own_agent(person, agent_id)
    context = {
        "agent": found,
        "tokens": list_tokens(found),
        "matrix": read_matrix(found, person),
        "token_form": TokenForm(auto_id="field-%s"),
        "submission": new_submission(),
        "snippets": write_snippets(found.name),
        "endpoint": endpoint_url(),
    }
    return answer(request, "console/agents/detail.html", context)


@screen(methods=("GET", "POST"))
def agent_retire(request: PersonRequest, agent_id: uuid.UUID) -> HttpResponse:
    found = own_agent(request.user, agent_id)
    if request.method == "POST":
        retire_agent(agent=found, actor=request.user)
        messages.success(request, gettext("%(agent)s is retired. Its tokens stopped working.") % {"agent": found.name})
        return redirect("console:agents")
    return answer(request, "console/agents/retire.html", {"agent": found, "tokens": list_tokens(found)})
