"""Where services send people back to, and what we say about ourselves to them (handbook §5, RFC 6749 §4.1.2).

The answer is always a redirect to a page of our own: no code stays in the address bar, and reloading sends nothing.
"""

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from connectors.access.models import User
from connectors.authorization.callback import parse_callback, receive_callback
from connectors.authorization.client_registration import client_document, is_public_https
from connectors.errors import Invalid, NotFound


@require_GET
@never_cache
@login_not_required  # somebody without a session is told so by a page, with no code in a login form's address
def oauth_callback(request: HttpRequest) -> HttpResponse:
    """Take one answer of a service; whatever happened, a page says it and offers the next act."""
    person, browser = request.user, request.session.session_key
    if not isinstance(person, User) or not browser:
        return _leave(redirect("console:authorization_lost"))
    try:
        session = receive_callback(answer=parse_callback(request.GET.lists()), person=person, browser=browser)
    except (NotFound, Invalid):
        return _leave(redirect("console:authorization_lost"))
    return _leave(redirect("console:authorization", session.pk))


@require_GET
@login_not_required  # authorization servers read it
def oauth_client(request: HttpRequest) -> JsonResponse:  # noqa: ARG001 - a view
    """Our client id metadata document; there is none where nobody else could fetch it."""
    if not is_public_https(settings.BACKEND_URL):
        raise Http404("not public")
    return JsonResponse(client_document(), headers={"Cache-Control": "public, max-age=3600"})


def _leave(response: HttpResponse) -> HttpResponse:
    """The address we leave holds a code: it is told to nobody."""
    response.headers["Referrer-Policy"] = "no-referrer"
    return response
