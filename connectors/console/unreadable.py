"""NUL characters: no database takes one in a text, so what has one cannot be read.

In an address or a cookie it never gets as far as a look-up. Forms refuse it field by field, with a fault beside the
field; what is sent past them is refused with the whole request where the database would not take it.
"""

from collections.abc import Callable

from django.core.exceptions import BadRequest
from django.db import DataError
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

    def process_exception(self, request: HttpRequest, exception: Exception) -> None:
        """400 for what a view handed on from the body to PostgreSQL, which refuses it."""
        sent = (text for values in request.POST.lists() for text in values[1])
        if isinstance(exception, DataError) and any(NUL in str(text) for text in sent):
            raise BadRequest("a NUL in the body") from exception
