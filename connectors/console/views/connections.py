"""My connections: their state, their names, the act that mends them, and their end."""

import uuid

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext

from connectors.authorization.accounts import disconnect as disconnect_account
from connectors.authorization.accounts import rename_connection
from connectors.authorization.avatars import find_avatar
from connectors.authorization.launch import find_launch_url
from connectors.console.answer import answer
from connectors.console.connection_pages import list_connections, read_connection
from connectors.console.forms.connections import AliasForm
from connectors.console.forms.faults import place_error
from connectors.console.image_answer import answer_image
from connectors.console.messages import describe_error
from connectors.console.own import own_connection
from connectors.console.permissions import PersonRequest, screen
from connectors.console.presentation import describe_connector
from connectors.console.stages import stage_of
from connectors.errors import ConnectorError, Refused
from connectors.gateway.discovery import refresh_toolset


@screen()
def connections(request: PersonRequest) -> HttpResponse:
    return answer(request, "console/connections/list.html", {"lines": list_connections(request.user)})


@screen(methods=("GET", "POST"))
def connection(request: PersonRequest, connection_id: uuid.UUID) -> HttpResponse:
    person = request.user
    found = own_connection(person, connection_id)
    form = AliasForm(request.POST or None, initial={"alias": found.alias}, auto_id="field-%s")
    if form.is_valid():
        try:
            rename_connection(connection=found, alias=form.cleaned_data["alias"], actor=person)
            messages.success(request, gettext("Saved."))
            return redirect("console:connection", found.pk)
        except Refused as refused:
            found.refresh_from_db(fields=["alias"])
            place_error(form, refused, where="alias")
    context = {"page": read_connection(found, person), "form": form}
    return answer(request, "console/connections/detail.html", context, status=422 if form.errors else 200)


@screen(methods=("POST",))
def check_connection(request: PersonRequest, connection_id: uuid.UUID) -> HttpResponse:
    found = own_connection(request.user, connection_id)
    try:
        refresh_toolset(connection=found)
        messages.success(request, gettext("The service answered, and its tools are up to date."))
    except ConnectorError as error:
        messages.error(request, _describe_failure(error))
    return redirect("console:connection", found.pk)


@screen()
def connection_open(request: PersonRequest, connection_id: uuid.UUID) -> HttpResponse:
    """On to the service itself: a link, since the address is only known when it is asked for."""
    found = own_connection(request.user, connection_id)
    try:
        return redirect(find_launch_url(found))
    except ConnectorError as error:
        messages.error(request, str(describe_error(error)))
        return redirect("console:connection", found.pk)


@screen()
def connection_avatar(request: PersonRequest, connection_id: uuid.UUID, digest: str) -> HttpResponse:
    """An account's picture under its digest, which never shows anything else."""
    picture = find_avatar(person=request.user, connection_id=connection_id, digest=digest)
    return answer_image(bytes(picture.content), picture.media_type)


@screen(methods=("GET", "POST"))
def disconnect(request: PersonRequest, connection_id: uuid.UUID) -> HttpResponse:
    person = request.user
    found = own_connection(person, connection_id)
    if request.method == "POST":
        name = describe_connector(found.connector).name
        disconnect_account(connection=found, actor=person)
        messages.success(request, gettext("%(connector)s is disconnected.") % {"connector": name})
        return redirect("console:connections")
    return answer(request, "console/connections/disconnect.html", {"page": read_connection(found, person)})


def _describe_failure(error: ConnectorError) -> str:
    """The stage that failed says more than the error alone."""
    stage = stage_of(error)
    return f"{stage.title}: {stage.sentence} {stage.mend}" if stage else str(describe_error(error))
