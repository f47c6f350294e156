"""Connect an account, or connect one again. Nothing is saved until the service itself has accepted it."""

import uuid
from collections.abc import Callable

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext

from connectors.authorization.complete import connect_account, reconnect_account
from connectors.authorization.models import Connection
from connectors.catalogue.models import Connector
from connectors.catalogue.queries import find_visible
from connectors.console.answer import answer
from connectors.console.catalogue_pages import ConnectorPage, read_connector
from connectors.console.forms.connect import ALIAS, ConnectForm
from connectors.console.forms.faults import place_error
from connectors.console.own import own_connection
from connectors.console.permissions import PersonRequest, screen
from connectors.console.stages import Stage, stage_of
from connectors.errors import ConnectorError, Invalid
from connectors.gateway.discovery import refresh_toolset


@screen(methods=("GET", "POST"))
def connect(request: PersonRequest, key: str) -> HttpResponse:
    person = request.user
    connector = find_visible(person, key)
    page = read_connector(connector, person)
    with_alias = page.connector.connection_policy == "multiple_per_user"
    form = ConnectForm(request.POST if request.method == "POST" else None, connector=connector, with_alias=with_alias)
    return _go_through(
        request,
        form,
        page,
        lambda raw: connect_account(person=person, connector=connector, alias=form.alias, raw_credentials=raw),
    )


@screen(methods=("GET", "POST"))
def reconnect(request: PersonRequest, connection_id: uuid.UUID) -> HttpResponse:
    found = own_connection(request.user, connection_id)
    connector: Connector = find_visible(request.user, found.connector.key)
    form = ConnectForm(request.POST if request.method == "POST" else None, connector=connector)
    return _go_through(
        request,
        form,
        read_connector(connector, request.user),
        lambda raw: reconnect_account(connection=found, raw_credentials=raw),
        again=found,
    )


def _go_through(
    request: PersonRequest,
    form: ConnectForm,
    page: ConnectorPage,
    act: Callable[[dict[str, str]], Connection],
    *,
    again: Connection | None = None,
) -> HttpResponse:
    """Show the form; when it was sent, act, and either go to the connection or say what is wrong and where."""
    stage: Stage | None = None
    if request.method == "POST" and form.parse() is not None:
        try:
            return _welcome(request, act(form.raw_values()), page)
        except ConnectorError as error:
            stage = stage_of(error)
            if stage is None:
                place_error(form, error, where=_place_of(error, form))
    context = {"page": page, "form": form, "stage": stage, "again": again}
    status = 422 if stage or form.errors else 200
    return answer(request, "console/catalogue/connect.html", context, status=status)


def _welcome(request: PersonRequest, connection: Connection, page: ConnectorPage) -> HttpResponse:
    """Tools are listed at once when the server lets us; if not, the agent's first list does it."""
    try:
        refresh_toolset(connection=connection)
    except ConnectorError:
        messages.warning(request, gettext("Connected. The tools could not be listed yet; that is tried again on use."))
    else:
        messages.success(request, gettext("%(name)s is connected.") % {"name": page.connector.name})
    return redirect("console:connection", connection.pk)


def _place_of(error: ConnectorError, form: ConnectForm) -> str | None:
    """The alias is called otherwise in the form than in its action, so that no manifest's field can be taken for it."""
    about_alias = error.code == "alias_taken" or (
        isinstance(error, Invalid) and all(fault.where == "alias" for fault in error.faults)
    )
    return ALIAS if about_alias and ALIAS in form.fields else None
