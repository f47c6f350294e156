"""One template a page, whole or in part."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers


def answer(
    request: HttpRequest, template: str, context: dict[str, Any], *, partial: str = "", status: int = 200
) -> HttpResponse:
    """The page, or only its named partial when htmx asked for just that.

    htmx asks for it when `hx-target` is the partial's name, or begins with it where a page holds several of a kind.
    """
    target = request.headers.get("HX-Target", "")
    only_part = bool(partial) and (target == partial or target.startswith(f"{partial}-"))
    response = render(request, f"{template}#{partial}" if only_part else template, context, status=status)
    patch_vary_headers(response, ["HX-Request", "HX-Target"])
    return response
