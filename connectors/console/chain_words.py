"""What a verification of the administrative log's chain found, in plain words; the row is named beside them."""

from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

type Text = str | Promise


@dataclass(frozen=True, slots=True)
class Finding:
    what: Text
    meaning: Text


FINDINGS: Final[dict[str, Finding]] = {
    "altered": Finding(
        _("This event was changed after it was written."),
        _("Its content no longer gives the hash it was written with."),
    ),
    "removed": Finding(
        _("Events are missing from here on."),
        _("The chain goes on later without them, and no retention accounts for it."),
    ),
    "reordered": Finding(
        _("Events stand in another order than they were written in."),
        _("The event that belongs here stands elsewhere."),
    ),
    "truncated": Finding(
        _("The newest events are missing."),
        _("The signed end of the chain is further on than the last event there is."),
    ),
    "inserted": Finding(
        _("An event was put in that the chain does not know."),
        _("It was written past the console."),
    ),
    "rewritten": Finding(
        _("The chain was written anew from here."),
        _("Every hash fits, but a signed head says that another event once stood here."),
    ),
    "restored": Finding(
        _("The log was put back to an older state."),
        _("A signed head says that the chain once went further. A backup that was restored looks like this too."),
    ),
    "signature": Finding(
        _("A signature is not ours."),
        _("What was signed was changed, or signed with another key."),
    ),
    "key_missing": Finding(
        _("The key that signed is no longer in the vault's ring."),
        _("Put it back: without it the signature can be neither trusted nor refuted."),
    ),
}
UNKNOWN: Final = Finding(_("Something is wrong with the chain."), _("Tell whoever runs this console."))


def tell_fault(code: str) -> Finding:
    return FINDINGS.get(code, UNKNOWN)
