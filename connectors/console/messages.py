"""Every expected error as a sentence and what to do about it: the one place where codes become words."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from connectors.errors import ConnectorError


@dataclass(frozen=True, slots=True)
class Told:
    """What happened, and what to do now; both in the reader's language."""

    code: str
    what: str
    mend: str

    def __str__(self) -> str:
        return f"{self.what} {self.mend}".strip()


_UNEXPECTED = (
    _("The act was refused (%(code)s)."),
    _("Nothing was changed. Ask an administrator and tell them this code."),
)

# code -> (what happened, what to do). Sentences may use the error's parameters as %(name)s.
SENTENCES: dict[str, tuple[str | Promise, str | Promise]] = {
    "not_found": (_("There is nothing here, or you may not see it."), _("Check the address, or go back to the list.")),
    "action_forbidden": (_("You may see this, but not change it."), _("Ask an administrator for the right to do it.")),
    "conflict": (
        _("Somebody changed this while you were looking at it."),
        _("Nothing was overwritten. Reload the page, look at the change, and try again."),
    ),
}


def describe_error(error: ConnectorError) -> Told:
    """Return the sentences of an error; an unknown code says so and names itself."""
    what, mend = SENTENCES.get(error.code, _UNEXPECTED)
    parameters = _Lenient(error.parameters | {"code": error.code})
    return Told(error.code, str(what) % parameters, str(mend) % parameters)


class _Lenient(dict[str, object]):
    """Parameters of a sentence; one that the error did not carry reads as an ellipsis, never as a crash."""

    def __missing__(self, key: str) -> str:
        return "…"
