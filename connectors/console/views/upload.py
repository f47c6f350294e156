"""Receive a package: streamed to disk, its size looked at before a byte of the form is read."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from connectors.catalogue.queries import find_connector
from connectors.console.connector_pages import frame_connector
from connectors.console.example_package import FIRST, list_examples, pack_example, prefill_example
from connectors.console.permissions import MANAGE_CONNECTORS, PersonRequest, screen
from connectors.console.views.error_pages import too_large
from connectors.packages.models import StagedPackage
from connectors.packages.staging import TooLarge, stage_package

MIB = 1024 * 1024
_FORM_OVERHEAD = 64 * 1024  # boundaries, the token and the file's name


@dataclass(frozen=True, slots=True)
class Desk:
    """Where a package is handed in: the page that asks for it, and the address its upload leads to."""

    template: str
    lead: Callable[[StagedPackage], str]
    context: dict[str, Any] = field(default_factory=dict)


@csrf_exempt  # checking the token reads the whole body: `_receive` does it once the size is known to be right
@screen(MANAGE_CONNECTORS, methods=("GET", "POST"))
def install(request: PersonRequest) -> HttpResponse:
    context = {"example": settings.EMBEDDED, "examples": list_examples()}
    return _serve(request, Desk("console/install/upload.html", _preview, context))


@csrf_exempt  # as above
@screen(MANAGE_CONNECTORS, methods=("GET", "POST"))
def connector_update(request: PersonRequest, key: str) -> HttpResponse:
    context = frame_connector(find_connector(key), "versions")

    def lead(staged: StagedPackage) -> str:
        return reverse("console:connector_update_decide", args=[key, staged.pk])

    return _serve(request, Desk("console/changes/upload.html", lead, context))


@screen(MANAGE_CONNECTORS, methods=("POST",))
def example_package(request: PersonRequest) -> HttpResponse:
    """One click: an example is on its preview, the example server's address filled in."""
    key = request.POST.get("example") or FIRST
    file_name, content = pack_example(key)
    staged = _stage(request, file_name, [content])
    address, prefilled = _preview(staged), prefill_example(key)
    return redirect(f"{address}?{prefilled}" if prefilled else address)


def _preview(staged: StagedPackage) -> str:
    return reverse("console:install_preview", args=[staged.pk])


def _serve(request: PersonRequest, desk: Desk) -> HttpResponse:
    if request.method != "POST":
        return _show_form(request, desk)
    if int(request.META.get("CONTENT_LENGTH") or 0) > _limit() + _FORM_OVERHEAD:
        return _refuse_large(request)
    response: HttpResponse = _receive(request, desk)
    return response


@csrf_protect
def _receive(request: PersonRequest, desk: Desk) -> HttpResponse:
    upload = request.FILES.get("package")
    if upload is None:
        return _refuse(request, desk, gettext("Choose a ZIP file first."))
    try:
        staged = _stage(request, upload.name or "package.zip", upload.chunks())
    except TooLarge:
        return _refuse_large(request)
    address = desk.lead(staged)
    return JsonResponse({"location": address}) if _asked_by_script(request) else redirect(address)


def _stage(request: PersonRequest, file_name: str, chunks: Iterable[bytes]) -> StagedPackage:
    return stage_package(owner=request.user, file_name=file_name, chunks=chunks)


def _show_form(request: PersonRequest, desk: Desk, *, fault: str = "", status: int = 200) -> HttpResponse:
    return render(request, desk.template, desk.context | {"limit": _limit(), "fault": fault}, status=status)


def _refuse(request: PersonRequest, desk: Desk, fault: str) -> HttpResponse:
    if _asked_by_script(request):
        return JsonResponse({"message": fault}, status=422)
    return _show_form(request, desk, fault=fault, status=422)


def _refuse_large(request: PersonRequest) -> HttpResponse:
    if _asked_by_script(request):
        told = gettext("This file is too large. The limit is %(limit)s MiB.")
        return JsonResponse({"message": told % {"limit": settings.MAX_UPLOAD_SIZE_MB}}, status=413)
    return too_large(request)


def _limit() -> int:
    return settings.MAX_UPLOAD_SIZE_MB * MIB


def _asked_by_script(request: PersonRequest) -> bool:
    return request.headers.get("Accept", "").startswith("application/json")
