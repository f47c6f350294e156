"""An agent's tokens: shown once when made, revoked at any time."""

import uuid

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext

from connectors.access.agents import add_token, revoke_token
from connectors.access.models import Agent
from connectors.console.answer import answer
from connectors.console.client_configuration import endpoint_url, write_snippets
from connectors.console.forms.agents import TokenForm
from connectors.console.messages import describe_error
from connectors.console.own import own_agent, own_token
from connectors.console.permissions import PersonRequest, screen
from connectors.console.submitted_once import claim_submission
from connectors.errors import Refused


def show_token_once(request: PersonRequest, agent: Agent, token: str) -> HttpResponse:
    """The only page that ever holds a token's text; nothing on the way may keep it."""
    context = {
        "agent": agent,
        "token": token,
        "snippets": write_snippets(agent.name, token),
        "endpoint": endpoint_url(),
    }
    response = answer(request, "console/agents/token.html", context, status=201)
    response["Cache-Control"] = "no-store"
    return response


@screen(methods=("POST",))
def token_create(request: PersonRequest, agent_id: uuid.UUID) -> HttpResponse:
    agent = own_agent(request.user, agent_id)
    form = TokenForm(request.POST)
    if not form.is_valid() or not claim_submission(request):
        messages.info(request, gettext("That token was already made. It is not shown again."))
        return redirect("console:agent", agent.pk)
    try:
        _token, text = add_token(agent=agent, lifetime=form.cleaned_data["lifetime"], actor=request.user)
    except Refused as refused:
        messages.error(request, str(describe_error(refused)))
        return redirect("console:agent", agent.pk)
    return show_token_once(request, agent, text)


@screen(methods=("GET", "POST"))
def token_revoke(request: PersonRequest, agent_id: uuid.UUID, token_id: uuid.UUID) -> HttpResponse:
    agent = own_agent(request.user, agent_id)
    token = own_token(agent, token_id)
    if request.method == "POST":
        revoke_token(token=token, actor=request.user)
        messages.success(request, gettext("The token ending in %(hint)s no longer works.") % {"hint": token.hint})
        return redirect("console:agent", agent.pk)
    return answer(request, "console/agents/revoke.html", {"agent": agent, "token": token})
