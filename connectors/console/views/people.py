"""People: who may sign in, with which role; a new person gets a one-time link that is shown once."""

from datetime import timedelta

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache

from connectors.access.models import User
from connectors.access.people import activate_person, create_person, deactivate_person, role_of, set_role
from connectors.access.sign_in import make_sign_in_link
from connectors.console.answer import answer
from connectors.console.forms.faults import place_error
from connectors.console.forms.people import PersonForm, RoleForm
from connectors.console.messages import describe_error
from connectors.console.people_pages import ROLE_MEANINGS, ROLES, PeopleFilters, list_people, name_role
from connectors.console.permissions import MANAGE_PEOPLE, PersonRequest, screen
from connectors.console.submitted_once import claim_submission, new_submission
from connectors.errors import Refused

LINK_LIFETIME = timedelta(hours=48)


@screen(MANAGE_PEOPLE)
def people(request: PersonRequest) -> HttpResponse:
    filters = PeopleFilters(**{name: request.GET.get(name, "").strip() for name in ("q", "role", "after")})
    context = {"filters": filters, "page": list_people(filters), "roles": ROLES}
    return answer(request, "console/people/list.html", context, partial="results")


@screen(MANAGE_PEOPLE, methods=("GET", "POST"))
def person_create(request: PersonRequest) -> HttpResponse:
    form = PersonForm(request.POST or None)
    if form.is_valid():
        if not claim_submission(request):
            return redirect("console:people")
        try:
            person = create_person(**form.cleaned_data, actor=request.user)
        except Refused as error:
            place_error(form, error, where="username")
        else:
            return _show_link(request, person)
    context = {"form": form, "meanings": ROLE_MEANINGS, "submission": new_submission()}
    return answer(request, "console/people/new.html", context, status=422 if form.is_bound else 200)


@screen(MANAGE_PEOPLE, methods=("GET", "POST"))
def person(request: PersonRequest, person_id: int) -> HttpResponse:
    shown = _find(person_id)
    form = RoleForm(request.POST or None, initial={"role": role_of(shown)})
    if form.is_valid():
        try:
            set_role(person=shown, role=form.cleaned_data["role"], actor=request.user)
        except Refused as error:
            place_error(form, error, where="role")
        else:
            messages.success(request, gettext("The role was saved."))
            return redirect("console:person", person_id)
    context = {
        "person": shown,
        "form": form,
        "role": name_role(role_of(shown)),
        "meanings": ROLE_MEANINGS,
        "submission": new_submission(),
    }
    return answer(request, "console/people/person.html", context, status=422 if form.is_bound else 200)


@screen(MANAGE_PEOPLE, methods=("POST",))
def person_active(request: PersonRequest, person_id: int) -> HttpResponse:
    """Shut somebody out, or let them in again: `active` says which, so that twice is once."""
    shown = _find(person_id)
    act = activate_person if request.POST.get("active") == "yes" else deactivate_person
    try:
        act(person=shown, actor=request.user)
    except Refused as error:
        messages.error(request, str(describe_error(error)))
    return redirect("console:person", person_id)


@never_cache
@screen(MANAGE_PEOPLE, methods=("POST",))
def person_link(request: PersonRequest, person_id: int) -> HttpResponse:
    shown = _find(person_id)
    if not shown.is_active or not claim_submission(request):
        messages.info(request, gettext("That link was already shown, or they may not sign in. Make a new one."))
        return redirect("console:person", person_id)
    return _show_link(request, shown)


def _show_link(request: PersonRequest, person: User) -> HttpResponse:
    token = make_sign_in_link(user=person, lifetime=LINK_LIFETIME, actor=request.user)
    link = settings.BACKEND_URL + reverse("console:welcome", args=[token])
    context = {"person": person, "link": link, "hours": LINK_LIFETIME // timedelta(hours=1)}
    response = answer(request, "console/people/link.html", context)
    response.headers["Cache-Control"] = "no-store"
    return response


def _find(person_id: int) -> User:
    return get_object_or_404(User.objects.prefetch_related("groups", "teams"), pk=person_id)
