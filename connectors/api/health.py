"""Is the process alive, and is it ready for work? For supervisors and load balancers: no sign-in, nothing secret."""

import os
from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from connectors.errors import ConnectorError
from connectors.vault.startup import ensure_canaries


@login_not_required
@never_cache
@require_safe
def livez(_request: HttpRequest) -> HttpResponse:
    """The process answers; nothing else is asked."""
    return HttpResponse("ok\n", content_type="text/plain")


@login_not_required
@never_cache
@require_safe
def readyz(_request: HttpRequest) -> JsonResponse:
    """200 when everything a call needs is there, 503 with what is missing."""
    parts = {name: _holds(check) for name, check in _CHECKS.items()}
    return JsonResponse({"ready": all(parts.values()), "parts": parts}, status=200 if all(parts.values()) else 503)


def _holds(check: Callable[[], None]) -> bool:
    try:
        check()
    except (DatabaseError, OSError, ConnectorError):
        return False
    return True


def _check_database() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def _check_broker() -> None:
    """A broker on disk needs its folder; one over the network is the worker's business, calls do not need it."""
    if settings.CELERY_BROKER_URL.startswith("filesystem:") and not _is_writable(Path(settings.BROKER_DIR)):
        raise OSError


def _is_writable(folder: Path) -> bool:
    """A folder that is not there yet is made by whoever first needs it, if its parent allows."""
    existing = next(part for part in (folder, *folder.parents) if part.exists())
    return existing.is_dir() and os.access(existing, os.W_OK | os.X_OK)


_CHECKS: dict[str, Callable[[], None]] = {
    "database": _check_database,
    "broker": _check_broker,
    "vault": ensure_canaries,
}
