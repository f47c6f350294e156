"""What must hold for every template at once."""

import re

from django.conf import settings

_FOLDER = settings.BASE_DIR / "templates"
_COMMENT = re.compile(r"{#.*?#}")
_INCLUDE = re.compile(r'{%\s*include\s+"([^"]+)"([^%]*)%}')
TEMPLATES = {str(path.relative_to(_FOLDER)): _COMMENT.sub("", path.read_text()) for path in _FOLDER.rglob("*.html")}


def _holds_a_form(name: str) -> bool:
    text = TEMPLATES[name.partition("#")[0]]
    return "{% csrf_token %}" in text or any(_holds_a_form(inner) for inner, _given in _INCLUDE.findall(text))


def test_no_form_is_included_without_the_token_it_sends():
    # `only` leaves out what context processors give, and with it the token, unless it is named: always refused.
    refused = [
        f"{name} includes {inner}"
        for name, text in TEMPLATES.items()
        for inner, given in _INCLUDE.findall(text)
        if given.split()[-1:] == ["only"] and "csrf_token=" not in given and _holds_a_form(inner)
    ]
    assert refused == []
