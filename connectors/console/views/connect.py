"""Connect an account, or connect one again. Nothing is saved until the service itself has accepted it."""

import uuid
from collections.abc import Callable

from django.http import HttpResponse
from django.shortcuts import redirect

from connectors.authorization.begin import Departure, begin_connecting, begin_reconnecting
from connectors.authorization.complete import connect_account, reconnect_account
from connectors.authorization.models import Connection
from connectors.authorization.other_account import OtherAccount
from connectors.catalogue.models import Connector
from connectors.catalogue.queries import find_visible
from connectors.console.answer import answer
from connectors.console.catalogue_pages import ConnectorPage, read_connector
from connectors.console.connection_welcome import welcome_connection
from connectors.console.forms.connect import ALIAS, ConnectForm
from connectors.console.forms.faults import place_error
from connectors.console.own import own_connection
from connectors.console.permissions import PersonRequest, browser_of, screen
from connectors.console.stages import Stage, stage_of
from connectors.errors import ConnectorError, Invalid


@screen(methods=("GET", "POST"))
def connect(request: PersonRequest, key: str) -> HttpResponse:
    person = request.user
    connector = find_visible(person, key)
    page = read_connector(connector, person)
    with_alias = page.connector.connection_policy == "multiple_per_user"
    form = ConnectForm(request.POST if request.method == "POST" else None, connector=connector, with_alias=with_alias)

    def act(raw: dict[str, str]) -> HttpResponse:
        if page.connector.interaction == "redirect":
            browser = browser_of(request)
            return _send_away(
                request, begin_connecting(person=person, connector=connector, browser=browser, alias=form.alias)
            )
        made = connect_account(person=person, connector=connector, alias=form.alias, raw_credentials=raw)
        return welcome_connection(request, made)

    return _go_through(request, form, page, act)


@screen(methods=("GET", "POST"))
def reconnect(request: PersonRequest, connection_id: uuid.UUID) -> HttpResponse:
    found = own_connection(request.user, connection_id)
    connector: Connector = find_visible(request.user, found.connector.key)
    form = ConnectForm(request.POST if request.method == "POST" else None, connector=connector)
    page = read_connector(connector, request.user)

    def act(raw: dict[str, str]) -> HttpResponse:
        if page.connector.interaction == "redirect":
            return _send_away(request, begin_reconnecting(connection=found, browser=browser_of(request)))
        return welcome_connection(request, reconnect_account(connection=found, raw_credentials=raw))

    return _go_through(request, form, page, act, again=found)


def _go_through(
    request: PersonRequest,
    form: ConnectForm,
    page: ConnectorPage,
    act: Callable[[dict[str, str]], HttpResponse],
    *,
    again: Connection | None = None,
) -> HttpResponse:
    """Show the form; when it was sent, act, and either go to the connection or say what is wrong and where."""
    stage: Stage | None = None
    if request.method == "POST" and form.parse() is not None:
        try:
            return act(form.raw_values())
        except OtherAccount as other:
            return redirect("console:authorization", other.question.pk)
        except ConnectorError as error:
            stage = stage_of(error)
            if stage is None:
                place_error(form, error, where=_place_of(error, form))
    context = {"page": page, "form": form, "stage": stage, "again": again}
    status = 422 if stage or form.errors else 200
    return answer(request, "console/catalogue/connect.html", context, status=status)


def _send_away(request: PersonRequest, departure: Departure) -> HttpResponse:
    """A page that leads on at once: the answer to a form may not itself lead to another site."""
    context = {"url": departure.authorize_url.reveal(), "host": departure.host, "session": departure.session}
    response = answer(request, "console/authorizations/leave.html", context)
    response.headers["Cache-Control"] = "no-store"
    return response


def _place_of(error: ConnectorError, form: ConnectForm) -> str | None:
    """The alias is called otherwise in the form than in its action, so that no manifest's field can be taken for it."""
    about_alias = error.code == "alias_taken" or (
        isinstance(error, Invalid) and all(fault.where == "alias" for fault in error.faults)
    )
    return ALIAS if about_alias and ALIAS in form.fields else None
