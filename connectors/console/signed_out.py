"""Requests of a page whose session has ended: the page goes to sign in, and comes back to where it was."""

from typing import Any
from urllib.parse import urlencode, urlsplit

from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpRequest, HttpResponse
from django.shortcuts import resolve_url
from django.utils.http import url_has_allowed_host_and_scheme


class SignedOutMiddleware(LoginRequiredMiddleware):
    """As Django's, save for what htmx asks for: a part of a page would be filled with the whole sign-in page, and one
    that only listens (a log's new rows) would go on as if nothing came in."""

    def handle_no_permission(self, request: HttpRequest, view_func: Any) -> HttpResponse:  # type: ignore[override] # htmx does not see a redirect, the browser follows it first
        if "HX-Request" not in request.headers:
            return super().handle_no_permission(request, view_func)
        page = urlsplit(request.headers.get("HX-Current-URL", ""))
        came_from = f"{page.path}?{page.query}" if page.query else page.path
        safe = url_has_allowed_host_and_scheme(came_from, allowed_hosts=None)
        query = urlencode({self.get_redirect_field_name(view_func): came_from if safe else "/"})
        return HttpResponse(headers={"HX-Redirect": f"{resolve_url(self.get_login_url(view_func))}?{query}"})
