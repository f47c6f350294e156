"""A browser without a screen: cookies, redirects and forms of somebody else's pages, up to the address that is ours."""

import urllib.request
from collections.abc import Callable
from http.cookiejar import CookieJar
from typing import Any
from urllib.error import HTTPError
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

from connectors.authorization.client_registration import redirect_uri

REDIRECTS = (302, 303)
LONGEST = 12

type Step = tuple[str, dict[str, str] | None]
type Fill = Callable[[str, str], Step]
"""Given a page's address and text, where its form goes and with what."""


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_arguments: Any, **_options: Any) -> None:
        """Every step is taken by `sign_in`, so that the one that leads to us is seen."""


def sign_in(url: str, fill: Fill) -> dict[str, str]:
    """Return the callback's query after the pages in between."""
    browser = urllib.request.build_opener(_Stay, urllib.request.HTTPCookieProcessor(CookieJar()))
    form: dict[str, str] | None = None
    for _step in range(LONGEST):
        request = urllib.request.Request(url, data=urlencode(form).encode() if form else None, headers={"Referer": url})
        try:
            with browser.open(request, timeout=20) as page:
                text = page.read().decode()
        except HTTPError as answer:
            if answer.code not in REDIRECTS:
                raise
            url, form = urljoin(url, answer.headers["Location"]), None
            if url.startswith(redirect_uri()):
                return dict(parse_qsl(urlsplit(url).query))
            continue
        url, form = fill(url, text)
    raise AssertionError("the pages never led back")
