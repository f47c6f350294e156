"""A person at the console with a browser that runs no JavaScript: pages, links and forms alone."""

from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import mechanicalsoup
from bs4 import BeautifulSoup, Tag

PASSWORD = "a long enough sentence"


class Visitor:
    """One browser session. `page` is the parsed page, `status` its HTTP status."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._browser = mechanicalsoup.Browser()

    def close(self) -> None:
        self._browser.close()

    def open(self, path: str, expect: int = 200) -> BeautifulSoup:
        return self._take(self._browser.get(urljoin(self.address, path)), expect)

    def submit(self, action: str, expect: int = 200, **values: str | list[str] | Path) -> BeautifulSoup:
        """Fill in the page's form whose address ends with `action` and send it with its last button."""
        form = mechanicalsoup.Form(self._form(action))
        files = []
        for name, value in values.items():
            if isinstance(value, Path):
                files.append(value.open("rb"))
                form.set(name, files[-1])
            elif isinstance(value, list):
                form.set_checkbox({name: value})
            elif form.form.select_one(f'input[name="{name}"][type="radio"]'):
                form.set_radio({name: value})
            else:
                form.set(name, value)
        answer = self._browser.submit(form, self.url)
        for file in files:
            file.close()
        return self._take(answer, expect)

    def text(self) -> str:
        return " ".join(self.page.get_text(" ").split())

    def _form(self, action: str) -> Tag:
        for form in self.page.find_all("form", method="post"):
            if urljoin(self.url, str(form.get("action", ""))).rstrip("/").endswith(action.rstrip("/")):
                return form
        raise AssertionError(f"no form for {action!r} on {self.url}: {self.text()[:500]}")

    def _take(self, answer: Any, expect: int) -> BeautifulSoup:
        self.url = str(answer.url)
        self.status = int(answer.status_code)
        self.html = answer.text
        self.page: BeautifulSoup = answer.soup
        for chance in self.page.find_all("wbr"):  # long names may break there; they are still one word
            chance.decompose()
        self.page.smooth()
        assert self.status == expect, f"{self.url} answered {self.status}: {self.text()[:800]}"
        return self.page


def sign_in(address: str, username: str, password: str) -> Visitor:
    visitor = Visitor(address)
    visitor.open("/accounts/login/")
    visitor.submit("/accounts/login/", login=username, password=password)
    return visitor


def redeem(address: str, link: str, password: str = PASSWORD) -> Visitor:
    """Use a one-time sign-in link and set a password, as the page asks."""
    visitor = Visitor(address)
    visitor.open(link)
    visitor.submit(link.removeprefix(address))
    visitor.submit("/welcome/password/", new_password1=password, new_password2=password)
    return visitor
