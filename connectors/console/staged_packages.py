"""The steps after the upload all work on the same thing: the person's own upload, inspected again each time."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path

from django.conf import settings
from django.http import HttpResponseBase
from django.shortcuts import redirect

from connectors.console.permissions import PersonRequest
from connectors.errors import Invalid
from connectors.packages.inspection import InspectedPackage, inspect_package
from connectors.packages.models import StagedPackage
from connectors.packages.staging import fetch_staged

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class OpenedUpload:
    staged: StagedPackage
    archive: Path
    package: InspectedPackage


def open_upload(request: PersonRequest, staged_id: uuid.UUID) -> OpenedUpload:
    """Return the person's own upload, inspected; `NotFound` when it is gone or another's, `Invalid` when refused."""
    staged, archive = fetch_staged(owner=request.user, staged_id=staged_id)
    return OpenedUpload(staged, archive, inspect_package(archive, max_zip_bytes=settings.MAX_UPLOAD_SIZE_MB * MIB))


def on_upload(
    view: Callable[[PersonRequest, OpenedUpload], HttpResponseBase],
) -> Callable[[PersonRequest, uuid.UUID], HttpResponseBase]:
    """Hand a view the opened upload; one that is refused has nothing but its preview, which tells why."""

    @wraps(view)
    def opened(request: PersonRequest, staged_id: uuid.UUID) -> HttpResponseBase:
        try:
            upload = open_upload(request, staged_id)
        except Invalid:
            return redirect("console:install_preview", staged_id)
        return view(request, upload)

    return opened
