"""Install: upload → preview → configure → a draft. Nothing is written before the last step."""

import uuid
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache

from connectors.catalogue.installation import find_installed, install_package
from connectors.console.answer import answer
from connectors.console.configuration_form import draw_installation, draw_one_off, group_fields
from connectors.console.forms.manifest_form import ManifestForm
from connectors.console.messages import describe_error
from connectors.console.package_preview import build_preview, read_name
from connectors.console.permissions import MANAGE_CONNECTORS, PersonRequest, screen
from connectors.console.presentation import reader_language
from connectors.errors import Conflict, Invalid
from connectors.manifest.fault_messages import describe_fault
from connectors.packages.inspection import InspectedPackage, inspect_package
from connectors.packages.models import StagedPackage
from connectors.packages.staging import fetch_staged

MIB = 1024 * 1024


@never_cache
@screen(MANAGE_CONNECTORS)
def install_preview(request: PersonRequest, staged_id: uuid.UUID) -> HttpResponse:
    """Everything about the package, or every fault of it; a reload shows the same."""
    staged, archive = fetch_staged(owner=request.user, staged_id=staged_id)
    try:
        package = _inspect(archive)
    except Invalid as error:
        faults = [describe_fault(fault, reader_language()) for fault in error.faults]
        return answer(request, "console/install/refused.html", {"staged": staged, "faults": faults})
    installed, conflict = None, None
    try:
        installed = find_installed(package)
    except Conflict as error:
        conflict = describe_error(error)
    preview = build_preview(package, archive)
    context = {"staged": staged, "preview": preview, "installed": installed, "conflict": conflict}
    return answer(request, "console/install/preview.html", context)


@never_cache
@screen(MANAGE_CONNECTORS)
def install_configure(request: PersonRequest, staged_id: uuid.UUID) -> HttpResponse:
    staged, archive = fetch_staged(owner=request.user, staged_id=staged_id)
    try:
        package = _inspect(archive)
    except Invalid:
        return redirect("console:install_preview", staged_id)
    form = draw_installation(package.manifest, package.texts, None, request.GET.dict())
    return show_configuration(request, staged, package, form)


@never_cache
@screen(MANAGE_CONNECTORS, methods=("POST",))
def install_commit(request: PersonRequest, staged_id: uuid.UUID) -> HttpResponse:
    """Install the archive that was shown. Sent twice, it is installed once: the second finds it installed."""
    staged, archive = fetch_staged(owner=request.user, staged_id=staged_id)
    package = _inspect(archive)
    form = draw_installation(package.manifest, package.texts, request.POST, {})
    try:
        connector = install_package(
            archive=archive,
            expected_sha256=request.POST.get("archive_sha256", ""),
            raw_configuration=form.raw_values(),
            actor=request.user,
        )
    except Invalid as error:
        form.add_faults(error.faults)
        return show_configuration(request, staged, package, form, status=422)
    messages.success(request, gettext("Installed as a draft. Publish it when you are ready."))
    return redirect("console:connector_overview", connector.key)


def show_configuration(
    request: PersonRequest,
    staged: StagedPackage,
    package: InspectedPackage,
    form: ManifestForm,
    *,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    """Answer with the Configure step; typed values are on the form, secrets never are."""
    context = {
        "staged": staged,
        "name": read_name(package),
        "form": form,
        "groups": group_fields(form, {}),
        "one_off": draw_one_off(package.manifest, package.texts),
        "testable": package.manifest.runtime.adapter == "remote_mcp",
        **more,
    }
    return answer(request, "console/install/configure.html", context, status=status)


def _inspect(archive: Path) -> InspectedPackage:
    return inspect_package(archive, max_zip_bytes=settings.MAX_UPLOAD_SIZE_MB * MIB)
