"""View as: what a person sees of the catalogue. For administrators, read-only, each look an act in the log."""

from django.core.validators import slug_re
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache

from connectors.access.models import User
from connectors.access.viewing import find_person, record_viewing
from connectors.catalogue.queries import find_connector
from connectors.console.answer import answer
from connectors.console.people_search import search_people
from connectors.console.permissions import MANAGE_CONNECTORS, PersonRequest, screen
from connectors.console.viewing_as import LISTED, see_catalogue, see_connector
from connectors.errors import NotFound


@screen(MANAGE_CONNECTORS)
def view_as(request: PersonRequest) -> HttpResponse:
    """Choose whom to look as; a user name typed in full goes there at once."""
    wanted, key = request.GET.get("q", "").strip()[:150], request.GET.get("connector", "")
    if key and not slug_re.match(key):  # links are made of it
        raise NotFound("connector_not_found", key=key)
    person = User.objects.filter(username=wanted).first() if wanted else None
    if person:
        return (
            redirect("console:view_as_connector", person.pk, key)
            if key
            else redirect("console:view_as_catalogue", person.pk)
        )
    found = search_people(wanted, most=LISTED + 1)
    context = {"people": found[:LISTED], "more": len(found) > LISTED, "wanted": wanted, "key": key}
    return answer(request, "console/view_as/choose.html", context)


@never_cache
@screen(MANAGE_CONNECTORS)
def view_as_catalogue(request: PersonRequest, person_id: int) -> HttpResponse:
    person = find_person(person_id)
    wanted, category = request.GET.get("q", "").strip()[:100], request.GET.get("category", "")
    seen = see_catalogue(request, person, wanted=wanted, category=category)
    if request.headers.get("HX-Target") == "results":
        return HttpResponse(seen.html)
    record_viewing(person=person, page="catalogue", actor=request.user)
    return answer(request, "console/view_as/catalogue.html", {"person": person, "seen": seen})


@never_cache
@screen(MANAGE_CONNECTORS)
def view_as_connector(request: PersonRequest, person_id: int, key: str) -> HttpResponse:
    person, connector = find_person(person_id), find_connector(key)
    seen = see_connector(request, person, connector)
    record_viewing(person=person, page=key, actor=request.user)
    return answer(request, "console/view_as/connector.html", {"person": person, "seen": seen, "connector": connector})
