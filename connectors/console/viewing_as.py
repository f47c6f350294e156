"""The people's catalogue as one person sees it, for an administrator to look at: what they see, in their language.

The pages are drawn by the same templates, given `as_person`: links lead to further such pages, and nothing can be
pressed. The request stays the administrator's own.
"""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string
from django.utils import timezone, translation
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from connectors.access.models import User
from connectors.access.reading import zone_of
from connectors.catalogue.models import Connector
from connectors.catalogue.queries import audience
from connectors.console.catalogue_pages import browse, read_connector
from connectors.console.permissions import PersonRequest

LISTED = 50
DEACTIVATED = _("This account is deactivated: nobody can sign in with it.")


@dataclass(frozen=True, slots=True)
class Seen:
    """What a person sees, drawn in their language; `why_not` says why they do not see it now, if so."""

    top: SafeString
    html: SafeString
    language: str
    why_not: str | Promise = ""


def see_catalogue(request: PersonRequest, person: User, *, wanted: str, category: str) -> Seen:
    language = language_of(person)
    with translation.override(language), timezone.override(zone_of(person)):
        page = browse(person, wanted=wanted, category=category)
        part = "results" if page.total else "nothing_shared"
        top = _draw(request, "console/catalogue/list.html#top", page, person)
        html = _draw(request, f"console/catalogue/list.html#{part}", page, person)
    return Seen(top, html, language, "" if person.is_active else DEACTIVATED)


def see_connector(request: PersonRequest, person: User, connector: Connector) -> Seen:
    """A connector that is not published yet is shown to whom its visibility names, as it will be."""
    why_not = _why_not(person, connector)
    language = language_of(person)
    if why_not and not (person.is_active and _is_named(person, connector)):
        return Seen(SafeString(""), SafeString(""), language, why_not)
    with translation.override(language), timezone.override(zone_of(person)):
        page = read_connector(connector, person)
        top = _draw(request, "console/catalogue/connector.html#top", page, person)
        html = _draw(request, "console/catalogue/connector.html#about", page, person)
    return Seen(top, html, language, why_not)


def language_of(person: User) -> str:
    """Return the language a person chose; who chose none gets what their browser says, here the console's own."""
    return person.language if person.language in dict(settings.LANGUAGES) else translation.get_language() or "en"


def _why_not(person: User, connector: Connector) -> str | Promise:
    if not person.is_active:
        return DEACTIVATED
    if not _is_named(person, connector):
        return _("They do not see this connector: it is not shared with them, nor with a team of theirs.")
    match connector.status:
        case Connector.Status.DRAFT:
            return _("They do not see this connector yet: it is a draft. Once it is published, they see this.")
        case Connector.Status.DISABLED:
            return _("They do not see this connector now: it is withdrawn. Once it is published again, they see this.")
        case _:
            return ""


def _is_named(person: User, connector: Connector) -> bool:
    return audience(connector).filter(pk=person.pk).exists()


def _draw(request: PersonRequest, template: str, page: Any, person: User) -> SafeString:
    return render_to_string(template, {"page": page, "as_person": person}, request=request)
