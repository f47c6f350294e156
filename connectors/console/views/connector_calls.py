"""A connector's Calls tab: its charts, its latest calls, and whether what they say is kept."""

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from connectors.catalogue.capture import set_capture
from connectors.catalogue.models import Connector
from connectors.catalogue.queries import find_connector
from connectors.console.answer import answer
from connectors.console.connector_pages import frame_connector
from connectors.console.forms.capture import CaptureForm
from connectors.console.logs.kinds import ALL_CALLS
from connectors.console.logs.log_pages import read_log_page
from connectors.console.permissions import MANAGE_CONNECTORS, VIEW_AUDIT, PersonRequest, screen

LATEST = 15


@screen(MANAGE_CONNECTORS)
def connector_calls(request: PersonRequest, key: str) -> HttpResponse:
    connector = find_connector(key)
    return _show(request, connector, CaptureForm(initial={"days": connector.capture_days}))


@screen(MANAGE_CONNECTORS, methods=("POST",))
def connector_capture(request: PersonRequest, key: str) -> HttpResponse:
    connector = find_connector(key)
    form = CaptureForm(request.POST)
    if not form.is_valid():
        return _show(request, connector, form, status=422)
    days = form.cleaned_data["days"]
    set_capture(connector=connector, days=days, actor=request.user)
    messages.success(
        request, _("What calls say is kept from now on.") if days else _("Nothing of what calls say is kept any more.")
    )
    return redirect("console:connector_calls", key)


def _show(request: PersonRequest, connector: Connector, form: CaptureForm, status: int = 200) -> HttpResponse:
    """Who looks after connectors without reading the logs sees the switch only."""
    page = None
    if request.user.has_perm(VIEW_AUDIT):
        page = read_log_page(ALL_CALLS, QueryDict(f"connector={connector.key}"), request.user)
    context = frame_connector(connector, "calls") | {"page": page, "log": ALL_CALLS, "form": form}
    context["latest"] = page.listed.rows[:LATEST] if page else []
    return answer(request, "console/connectors/calls.html", context, status=status)
