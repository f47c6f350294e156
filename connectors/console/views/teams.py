"""Teams: made, renamed, filled and dissolved."""

import uuid

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext

from connectors.access.models import Team
from connectors.access.teams import create_team, delete_team, rename_team, set_members
from connectors.console.answer import answer
from connectors.console.audience import suggest_people
from connectors.console.forms.faults import place_error
from connectors.console.forms.people import TeamForm
from connectors.console.people_pages import list_teams
from connectors.console.permissions import MANAGE_PEOPLE, PersonRequest, screen
from connectors.errors import Refused


@screen(MANAGE_PEOPLE)
def teams(request: PersonRequest) -> HttpResponse:
    return answer(request, "console/people/teams.html", {"teams": list_teams()})


@screen(MANAGE_PEOPLE, methods=("GET", "POST"))
def team_create(request: PersonRequest) -> HttpResponse:
    form = TeamForm(request.POST or None)
    if form.is_valid():
        try:
            made = create_team(name=form.cleaned_data["name"], members=form.chosen_people, actor=request.user)
        except Refused as error:
            place_error(form, error, where="name")
        else:
            messages.success(request, gettext("The team was made."))
            return redirect("console:team", made.pk)
    context = {"form": form, "suggested": suggest_people()}
    return answer(request, "console/people/team_new.html", context, status=422 if form.is_bound else 200)


@screen(MANAGE_PEOPLE, methods=("GET", "POST"))
def team(request: PersonRequest, team_id: uuid.UUID) -> HttpResponse:
    shown = get_object_or_404(Team, pk=team_id)
    form = TeamForm(request.POST or None, shown)
    if form.is_valid():
        try:
            with transaction.atomic():
                rename_team(team=shown, name=form.cleaned_data["name"], actor=request.user)
                set_members(team=shown, people=form.chosen_people, actor=request.user)
        except Refused as error:
            place_error(form, error, where="name")
        else:
            messages.success(request, gettext("The team was saved."))
            return redirect("console:team", team_id)
    context = {"team": shown, "form": form, "connectors": shown.connectors.all(), "suggested": suggest_people()}
    return answer(request, "console/people/team.html", context, status=422 if form.is_bound else 200)


@screen(MANAGE_PEOPLE, methods=("POST",))
def team_delete(request: PersonRequest, team_id: uuid.UUID) -> HttpResponse:
    """Dissolve the team; one that is gone already is gone."""
    shown = Team.objects.filter(pk=team_id).first()
    if shown is not None:
        delete_team(team=shown, actor=request.user)
    messages.success(request, gettext("The team was dissolved."))
    return redirect("console:teams")
