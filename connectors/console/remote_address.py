"""Where a request came from, for the events it leaves.

The server has put the right address in its place by now: `manage.py up` lets only `POCO_TRUSTED_PROXIES` say another
(X-Forwarded-For), and believes nobody while that is empty. Headers are therefore not looked at here.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from connectors.audit.remote_address import coming_from


class RemoteAddressMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with coming_from(request.META.get("REMOTE_ADDR", "")):
            return self.get_response(request)
