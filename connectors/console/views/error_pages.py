"""Error pages that need more than a template."""

import logging
import sys

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from uuid_utils.compat import uuid7

logger = logging.getLogger("connectors.console")


def server_error(request: HttpRequest) -> HttpResponse:
    """A 500 page with an id that stands in the log beside what happened, and nothing else."""
    error_id = str(uuid7())
    logger.error("error %s at %s %s", error_id, request.method, request.path, exc_info=sys.exc_info())
    return render(request, "500.html", {"error_id": error_id}, status=500)


@login_not_required
def not_offered(request: HttpRequest) -> HttpResponse:
    """An address of the sign-in library for something this product does not do."""
    raise Http404(request.path)


def too_large(request: HttpRequest) -> HttpResponse:
    """A 413 page that names the limit."""
    return render(request, "413.html", {"limit": settings.MAX_UPLOAD_SIZE_MB * 1024 * 1024}, status=413)
