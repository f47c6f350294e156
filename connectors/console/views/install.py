"""Install: upload → preview → configure → a draft. Nothing is written before the last step."""

import uuid
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache

from connectors.catalogue.difference import compare_with_installed
from connectors.catalogue.installation import find_installed, install_package
from connectors.catalogue.models import Connector
from connectors.console.answer import answer
from connectors.console.configuration_form import callback_address, draw_installation, draw_one_off, group_fields
from connectors.console.forms.manifest_form import ManifestForm
from connectors.console.messages import Told, describe_error
from connectors.console.package_difference import tell_difference
from connectors.console.package_preview import build_preview, read_name
from connectors.console.permissions import MANAGE_CONNECTORS, PersonRequest, screen
from connectors.console.presentation import reader_language
from connectors.console.staged_packages import OpenedUpload, on_upload, open_upload
from connectors.errors import Conflict, Failed, Invalid
from connectors.manifest.fault_messages import describe_fault
from connectors.packages.staging import fetch_staged


@never_cache
@screen(MANAGE_CONNECTORS)
def install_preview(request: PersonRequest, staged_id: uuid.UUID) -> HttpResponse:
    """Everything about the package, or every fault of it; a higher version of what is installed becomes an update."""
    try:
        upload = open_upload(request, staged_id)
    except Invalid as error:
        faults = [describe_fault(fault, reader_language()) for fault in error.faults]
        staged, _archive = fetch_staged(owner=request.user, staged_id=staged_id)
        return answer(request, "console/install/refused.html", {"staged": staged, "faults": faults})
    installed, conflict = _find_installed(upload)
    difference = compare_with_installed(upload.package) if conflict else None
    if conflict and conflict.code == "update_needed" and difference and difference.higher:
        return redirect("console:connector_update_decide", upload.package.manifest.key, staged_id)
    context = {
        "staged": upload.staged,
        "preview": build_preview(upload.package, upload.archive),
        "installed": installed,
        "conflict": conflict,
        "difference": tell_difference(difference) if difference else None,
        "goes_back": bool(conflict and conflict.code == "update_needed"),
    }
    return answer(request, "console/install/preview.html", context)


@never_cache
@screen(MANAGE_CONNECTORS)
@on_upload
def install_configure(request: PersonRequest, upload: OpenedUpload) -> HttpResponse:
    """The form of a package that can be installed; the preview tells why another cannot."""
    if any(_find_installed(upload)):
        return redirect("console:install_preview", upload.staged.pk)
    form = draw_installation(upload.package.manifest, upload.package.texts, None, request.GET.dict())
    return show_configuration(request, upload, form)


@never_cache
@screen(MANAGE_CONNECTORS, methods=("POST",))
@on_upload
def install_commit(request: PersonRequest, upload: OpenedUpload) -> HttpResponse:
    """Install the archive that was shown. Sent twice, it is installed once: the second finds it installed."""
    form = draw_installation(upload.package.manifest, upload.package.texts, request.POST, {})
    began = timezone.now()
    try:
        connector = install_package(
            archive=upload.archive,
            expected_sha256=request.POST.get("archive-sha256", ""),
            raw_configuration=form.raw_values(),
            actor=request.user,
        )
    except Invalid as error:
        form.add_faults(error.faults)
        return show_configuration(request, upload, form, status=422)
    except Failed as error:  # its program or the store did not do its part; nothing was installed
        form.add_error(None, str(describe_error(error)))
        return show_configuration(request, upload, form, status=502)
    if connector.installed_at < began:
        messages.info(request, gettext("These very files are installed already"))
    else:
        messages.success(request, gettext("Installed as a draft. Publish it when you are ready."))
    return redirect("console:connector_overview", connector.key)


def show_configuration(
    request: PersonRequest, upload: OpenedUpload, form: ManifestForm, *, status: int = 200, **more: Any
) -> HttpResponse:
    """Answer with the Configure step; typed values are on the form, secrets never are."""
    package = upload.package
    context = {
        "staged": upload.staged,
        "name": read_name(package),
        "form": form,
        "groups": group_fields(form, {}),
        "one_off": draw_one_off(package.manifest, package.texts),
        "callback_address": callback_address(package.manifest),
        "testable": package.manifest.runtime.adapter == "remote_mcp",
        **more,
    }
    return answer(request, "console/install/configure.html", context, status=status)


def _find_installed(upload: OpenedUpload) -> tuple[Connector | None, Told | None]:
    """Return the connector these files already are, or why they cannot become one."""
    try:
        return find_installed(upload.package), None
    except Conflict as error:
        return None, describe_error(error)
