"""The reader's language, time zone and theme, applied to each request.

A person's own choice counts first; then what this browser chose (cookies); then what the browser says.
"""

from collections.abc import Callable
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone, translation
from django.utils.cache import patch_vary_headers

LANGUAGE_COOKIE = "poco_language"
THEME_COOKIE = "poco_theme"
ZONE_COOKIE = "poco_time_zone"
THEMES = ("system", "light", "dark")


class PreferencesMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        person = request.user if request.user.is_authenticated else None
        language = _language(request, person.language if person else "")
        request.theme = _theme(request, person.theme if person else "")  # type: ignore[attr-defined] # see PersonRequest
        with (
            translation.override(language),
            timezone.override(_zone(request, person.time_zone if person else "")),
        ):
            response = self.get_response(request)
        response.headers.setdefault("Content-Language", language)
        patch_vary_headers(response, ("Accept-Language", "Cookie"))
        return response


def _language(request: HttpRequest, chosen: str) -> str:
    for language in (chosen, request.COOKIES.get(LANGUAGE_COOKIE, "")):
        if language in dict(settings.LANGUAGES):
            return language
    return translation.get_language_from_request(request)


def _theme(request: HttpRequest, chosen: str) -> str:
    theme = chosen or request.COOKIES.get(THEME_COOKIE, "")
    return theme if theme in THEMES else "system"


def _zone(request: HttpRequest, chosen: str) -> ZoneInfo:
    for name in (chosen, request.COOKIES.get(ZONE_COOKIE, "").replace("%2F", "/"), settings.TIME_ZONE):
        if not name:
            continue
        try:
            return ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError):
            continue
    return ZoneInfo("UTC")
