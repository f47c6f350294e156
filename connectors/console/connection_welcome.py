"""After an account was connected: its tools are listed at once when the server lets us."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext

from connectors.authorization.models import Connection
from connectors.console.presentation import describe_connector
from connectors.errors import ConnectorError
from connectors.gateway.discovery import refresh_toolset


def welcome_connection(request: HttpRequest, connection: Connection) -> HttpResponse:
    """Say that it is connected and lead to its page; if tools cannot be listed yet, the agent's first list does it."""
    name = describe_connector(connection.connector).name
    if connection.state == Connection.State.INSUFFICIENT_SCOPE:
        messages.warning(request, gettext("%(name)s is connected, but lacks a permission.") % {"name": name})
    else:
        messages.success(request, gettext("%(name)s is connected.") % {"name": name})
    try:
        refresh_toolset(connection=connection)
    except ConnectorError:
        messages.warning(request, gettext("The tools could not be listed yet; that is tried again on use."))
    return redirect("console:connection", connection.pk)
