"""One-time sign-in: the link's page changes nothing when opened; its button signs in and asks for a password."""

from django.contrib.auth import login, update_session_auth_hash
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import SetPasswordForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from connectors.access.sign_in import redeem_sign_in_link
from connectors.console.permissions import PersonRequest, screen
from connectors.errors import Refused

_BACKEND = "django.contrib.auth.backends.ModelBackend"


@login_not_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def welcome(request: HttpRequest, token: str) -> HttpResponse:
    if request.method != "POST":
        return render(request, "console/welcome/link.html")
    try:
        person = redeem_sign_in_link(token=token)
    except Refused:
        return render(request, "console/welcome/spent.html", status=403)
    login(request, person, backend=_BACKEND)
    return redirect("console:home" if person.has_usable_password() else "console:welcome_password")


@never_cache
@screen(methods=("GET", "POST"))
def welcome_password(request: PersonRequest) -> HttpResponse:
    """The first password only: changing one asks for the old one elsewhere."""
    if request.user.has_usable_password():
        return redirect("console:home")
    form = SetPasswordForm(request.user, request.POST or None)
    if not form.is_valid():
        return render(request, "console/welcome/password.html", {"form": form}, status=422 if form.is_bound else 200)
    form.save()
    update_session_auth_hash(request, request.user)
    return redirect("console:home")
