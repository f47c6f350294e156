"""Who may open a screen, and how the screen answers when an act is refused.

Invisible is 404, visible but forbidden is 403, moved on since the page was shown is 409.
"""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from connectors.access.models import User
from connectors.console.messages import describe_error
from connectors.errors import Conflict, Forbidden, NotFound

MANAGE_CONNECTORS = "connectors.manage_connectors"
MANAGE_PEOPLE = "connectors.manage_people"
VIEW_AUDIT = "connectors.view_audit"


class PersonRequest(HttpRequest):
    """A request of somebody who is signed in; SignedOutMiddleware has seen to it.

    `place` is set by a page that belongs to another entry of the sidebar than its address says.
    """

    user: User
    theme: str
    place: str


def browser_of(request: HttpRequest) -> str:
    """Return what names this browser's session: who goes to sign in somewhere must come back in it."""
    return request.session.session_key or ""


type View[**P] = Callable[Concatenate[PersonRequest, P], HttpResponseBase]
type Screen[**P] = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def screen[**P](permission: str = "", *, methods: tuple[str, ...] = ("GET",)) -> Callable[[View[P]], Screen[P]]:
    """Guard a view: the methods it answers, the permission it needs, and what its refusals look like.

    @screen(MANAGE_CONNECTORS, methods=("GET", "POST"))
    def connector_list(request: PersonRequest) -> HttpResponse: ...
    """
    answered = [*methods, "HEAD"] if "GET" in methods else list(methods)

    def guard(view: View[P]) -> Screen[P]:
        @wraps(view)
        def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            if permission and not request.user.has_perm(permission):
                raise PermissionDenied
            try:
                return view(request, *args, **kwargs)  # type: ignore[arg-type] # signed in: see PersonRequest
            except NotFound as error:
                raise Http404(error.code) from error
            except Forbidden as error:
                raise PermissionDenied(error.code) from error
            except Conflict as error:
                return _answer_conflict(request, error)

        return require_http_methods(answered)(guarded)

    return guard


def _answer_conflict(request: HttpRequest, error: Conflict) -> HttpResponse:
    return render(request, "409.html", {"told": describe_error(error)}, status=409)
