"""Take back, in one act, what agents may use and do not; and ask the owners of grants to."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, ngettext

from connectors.catalogue.queries import find_connector
from connectors.console.answer import answer
from connectors.console.messages import describe_error
from connectors.console.permissions import MANAGE_CONNECTORS, PersonRequest, screen
from connectors.console.presentation import describe_connectors
from connectors.errors import Conflict
from connectors.ledger.narrowing import Proposal, ask_to_narrow, narrow_grants, owners_of_grants, propose_narrowing

TAKEN_BACK = "taken_back"


@screen(methods=("GET", "POST"))
def unused(request: PersonRequest) -> HttpResponse:
    if request.method == "POST":
        _narrow(request)
        return redirect("console:unused")
    proposals = propose_narrowing(request.user)
    texts = describe_connectors({each.grant.connection.connector for each in proposals})
    lines = [(each, texts[each.grant.connection.connector_id]) for each in proposals]
    context = {"lines": lines, "taken_back": request.session.pop(TAKEN_BACK, ())}
    return answer(request, "console/connections/unused.html", context)


@screen(MANAGE_CONNECTORS, methods=("POST",))
def connector_ask_narrowing(request: PersonRequest, key: str) -> HttpResponse:
    connector = find_connector(key)
    people = owners_of_grants(connector)
    ask_to_narrow(connector=connector, actor=request.user)
    told = ngettext(
        "Asked: it is on the notices of %(count)d person, if a grant of theirs is wider than its use.",
        "Asked: it is on the notices of %(count)d people, as far as a grant of theirs is wider than its use.",
        people,
    )
    messages.success(request, told % {"count": people})
    return redirect("console:connector_ledger", key)


def _narrow(request: PersonRequest) -> None:
    chosen = request.POST.getlist("chosen")
    if not chosen:
        messages.warning(request, gettext("Nothing was chosen, so nothing was changed."))
        return
    try:
        done = narrow_grants(digests=chosen, actor=request.user)
    except Conflict as refused:
        messages.error(request, str(describe_error(refused)))
        return
    told = ngettext(
        "%(count)d grant was narrowed. It holds from the agent's next call on.",
        "%(count)d grants were narrowed. It holds from the agents' next calls on.",
        len(done),
    )
    messages.success(request, told % {"count": len(done)})
    request.session[TAKEN_BACK] = _describe(done)


def _describe(done: tuple[Proposal, ...]) -> list[dict[str, Any]]:
    """Return what was taken back, for the next page alone: its owner may want some of it again."""
    texts = describe_connectors({each.grant.connection.connector for each in done})
    return [
        {
            "agent": each.grant.agent.name,
            "connector": texts[each.grant.connection.connector_id].name,
            "alias": each.grant.connection.alias,
            "dropped": each.dropped,
            "url": reverse("console:grant", args=[each.grant.agent_id, each.grant.connection_id]),
        }
        for each in done
    ]
