"""Language, theme and time zone: kept for the person, and in this browser for the pages before signing in."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from connectors.access.models import User
from connectors.console.forms.preferences import PreferencesForm
from connectors.console.preferences import LANGUAGE_COOKIE, THEME_COOKIE

_A_YEAR = 365 * 24 * 3600
_LONGEST_ADDRESS = 2000


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def preferences(request: HttpRequest) -> HttpResponse:
    """Change what was sent and go back to where the reader was; without a choice, show the form."""
    if request.method != "POST":
        person = request.user
        if not isinstance(person, User):
            return redirect(settings.LOGIN_URL)
        return render(request, "console/preferences.html", {"form": PreferencesForm(instance=person)})
    form = PreferencesForm(request.POST, instance=request.user if isinstance(request.user, User) else User())
    if not form.is_valid():
        return render(request, "console/preferences.html", {"form": form}, status=422)
    chosen = form.keep(request.POST)
    response = HttpResponseRedirect(_back(request))
    for field, cookie in (("language", LANGUAGE_COOKIE), ("theme", THEME_COOKIE)):
        if field in chosen:
            response.set_cookie(cookie, chosen[field], max_age=_A_YEAR, samesite="Lax", secure=settings.HTTPS)
    if "display_name" in chosen:
        messages.success(request, gettext("Your preferences were saved."))
    return response


def _back(request: HttpRequest) -> str:
    wanted = request.POST.get("next", "")
    if not wanted.startswith("/") or not wanted.isprintable() or len(wanted) > _LONGEST_ADDRESS:
        return reverse("console:preferences")
    safe = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure())
    return wanted if safe else reverse("console:preferences")
