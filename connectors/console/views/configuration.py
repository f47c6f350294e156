"""A connector's configuration: secrets are written, never shown; two editors do not overwrite each other."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache

from connectors.catalogue.models import Connector
from connectors.catalogue.queries import find_connector
from connectors.catalogue.versions import manifest_of
from connectors.console.answer import answer
from connectors.console.configuration_form import (
    callback_address,
    draw_configuration,
    draw_one_off,
    group_fields,
    read_cleared,
)
from connectors.console.connector_pages import frame_connector
from connectors.console.forms.manifest_form import ManifestForm
from connectors.console.messages import describe_error
from connectors.console.permissions import MANAGE_CONNECTORS, PersonRequest, screen
from connectors.console.reauthorizing import tell_people, tell_stake
from connectors.console.second_editor import merge_edits
from connectors.errors import Conflict, Failed, Invalid
from connectors.lifecycle.reconfiguration import Reconfigured, reconfigure_connector

_MOST_DIGITS = 10  # no revision is longer, and Python reads no number of thousands of digits


@never_cache
@screen(MANAGE_CONNECTORS, methods=("GET", "POST"))
def connector_configuration(request: PersonRequest, key: str) -> HttpResponse:
    connector = find_connector(key)
    if request.method != "POST":
        return show_connector_configuration(request, connector, draw_configuration(connector, None))
    form = draw_configuration(connector, request.POST)
    try:
        saved = reconfigure_connector(
            connector=connector,
            raw=form.raw_values(),
            cleared=read_cleared(request.POST),
            expected_revision=_number(request, "seen-revision"),
            expected_reauthorize=_number(request, "seen-reauthorize"),
            actor=request.user,
        )
    except Invalid as error:
        form.add_faults(error.faults)
        return show_connector_configuration(request, connector, form, status=422)
    except Conflict as error:
        return _show_conflict(request, connector, error)
    except Failed as error:  # the package's program did not do its part; nothing was saved
        form.add_error(None, str(describe_error(error)))
        return show_connector_configuration(request, connector, form, status=502)
    _say_saved(request, saved)
    return redirect("console:connector_configuration", key)


def show_connector_configuration(
    request: PersonRequest, connector: Connector, form: ManifestForm, *, status: int = 200, **more: Any
) -> HttpResponse:
    """Answer with the Configuration tab; typed values are on the form, secrets never are."""
    manifest = manifest_of(connector.version)
    secrets = {secret.field: secret for secret in connector.secrets.select_related("set_by")}
    context = frame_connector(connector, "configuration") | {
        "form": form,
        "groups": group_fields(form, secrets),
        "one_off": draw_one_off(manifest, connector.version.texts),
        "callback_address": callback_address(manifest),
        "testable": manifest.runtime.adapter == "remote_mcp" or manifest.program is not None,
        "stake": tell_stake(connector, form),
        **more,
    }
    return answer(request, "console/connectors/configuration.html", context, status=status)


def _number(request: PersonRequest, name: str) -> int:
    text = request.POST.get(name, "")
    return int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS else 0


def _show_conflict(request: PersonRequest, connector: Connector, error: Conflict) -> HttpResponse:
    """Tell who changed what meanwhile; what was typed goes on in the form, upon the configuration as it is now."""
    if error.code == "reauthorization_differs":  # somebody connected meanwhile: the page has the number of now
        form = draw_configuration(connector, request.POST)
        return show_connector_configuration(request, connector, form, status=409, told=describe_error(error))
    if error.code != "configuration_changed":  # a drain began, say
        raise error
    edit = merge_edits(connector, request.POST, revision=_number(request, "seen-revision"))
    return show_connector_configuration(request, connector, edit.form, status=409, edit=edit)


def _say_saved(request: PersonRequest, saved: Reconfigured) -> None:
    text = gettext("The configuration was saved.") if saved.changed else gettext("Nothing had changed.")
    messages.success(request, f"{text} {tell_people(saved.people)}".strip())
