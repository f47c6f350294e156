"""NUL characters in addresses and cookies: no database takes one in a text, so none gets as far as a look-up.

Forms refuse it field by field, with a fault beside the field.
"""

from collections.abc import Callable

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse

NUL = "\0"


class UnreadableMiddleware:
    """400 for an address with a NUL, before anything is looked up by it; a cookie with one is as good as none."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        for name in [name for name, value in request.COOKIES.items() if NUL in value]:
            del request.COOKIES[name]
        if NUL in request.path_info or "%00" in request.META.get("QUERY_STRING", ""):
            raise BadRequest("a NUL in the address")
        return self.get_response(request)
