"""The ledger in words: verdicts and why they are suggested, how endpoints stand, the checklist, what may be refused."""

from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from connectors.ledger.disposition import Suggestion
from connectors.ledger.health_mark import HealthMark

LEDGER_SENTENCES: Final[dict[str, tuple[str | Promise, str | Promise]]] = {
    "ledger_entry_changed": (
        _("%(name)s changed this entry while you were looking at it."),
        _("Nothing was overwritten. Compare what you typed with what stands there now, then save again."),
    ),
    "review_open": (_("A review is under way already."), _("Take part in it, or finish it first.")),
    "review_empty": (_("No connector is installed, so there is nothing to review."), _("Install one first.")),
    "review_finished": (_("This review is finished."), _("Look at its report, or start a new one.")),
    "review_line_decided": (
        _("%(name)s answered this one while you were looking at it."),
        _("Nothing was overwritten. Look at the answer; you can still change it."),
    ),
    "review_not_found": (_("This review is not there."), _("Go back to the list of reviews.")),
    "webhook_not_found": (_("No webhook is set."), _("Set its address first.")),
    "narrowing_changed": (
        _("A grant or its use has changed since the page was shown."),
        _("Nothing was changed. Look at what is proposed now, then choose again."),
    ),
}


@dataclass(frozen=True, slots=True)
class HealthWords:
    label: str | Promise
    tone: str
    meaning: str | Promise


HEALTH_WORDS: Final[dict[HealthMark, HealthWords]] = {
    HealthMark.ANSWERS: HealthWords(_("Answers"), "good", _("Its endpoint answered the last time it was asked.")),
    HealthMark.ASKS: HealthWords(
        _("Asks for sign-in"),
        "good",
        _("Its endpoint answered, and wants a credential. Nobody's account is used to ask, so more is not known."),
    ),
    HealthMark.FAILING: HealthWords(_("Failing"), "warn", _("Its endpoint did not answer the last time it was asked.")),
    HealthMark.DEAD: HealthWords(_("Dead"), "bad", _("Its endpoint has not answered once for days.")),
    HealthMark.NOT_ASKED: HealthWords(
        _("Not asked yet"), "calm", _("Published connectors are asked within a minute or two.")
    ),
    HealthMark.OFF: HealthWords(_("Not asked"), "calm", _("Asking its endpoint is switched off.")),
    HealthMark.PROGRAM: HealthWords(
        _("Runs a program"), "calm", _("There is no server to ask; its program runs when a tool is called.")
    ),
}
VERDICTS: Final[dict[str, str | Promise]] = {
    "keep": _("Keep"),
    "observe": _("Observe"),
    "uninstall": _("Uninstall"),
    "not_yet_observed": _("Not yet observed"),
    "skipped": _("Skipped"),
}
SECTION_TITLES: Final[dict[str, str | Promise]] = {
    "activity": _("Activity"),
    "quality": _("Quality"),
    "safety": _("Safety"),
    "maintenance": _("Maintenance"),
}
ITEM_TITLES: Final[dict[str, str | Promise]] = {
    "commits_within_three_months": _("Commits within the last three months"),
    "issues_answered_within_a_week": _("Issues are answered within a week"),
    "versions_released": _("New versions are released"),
    "documentation": _("Complete documentation"),
    "examples": _("Example code"),
    "tests": _("Tests"),
    "authentication": _("It authenticates who calls it"),
    "no_known_vulnerabilities": _("No known vulnerabilities"),
    "code_auditable": _("Its code can be audited"),
    "maintainer_named": _("Somebody is named who maintains it"),
    "contribution_guide": _("A guide for contributors"),
    "changelog": _("A change log"),
}


_UNUSABLE: Final = {
    "nobody_could_use_it": _("It was never published, so nobody could use it."),
    "withdrawn": _("It is withdrawn, so nobody can use it; that it is idle says nothing."),
}


def word_suggestion(suggestion: Suggestion) -> str:
    """Return why it is suggested, in one sentence."""
    days = suggestion.days
    if suggestion.code in ("used_this_week", "used_this_month"):
        if days == 0:
            return gettext("Used within the last day.")
        return ngettext("Used %(days)d day ago.", "Used %(days)d days ago.", days) % {"days": days}
    if suggestion.code in ("idle", "long_idle"):
        return ngettext("Idle for %(days)d day.", "Idle for %(days)d days.", days) % {"days": days}
    if suggestion.code in _UNUSABLE:
        return str(_UNUSABLE[suggestion.code])
    if days == 0:
        return gettext("It can be used since less than a day; it is judged after 30 days without use.")
    told = ngettext(
        "Nobody used it in the %(days)d day it could be seen; it is judged after 30.",
        "Nobody used it in the %(days)d days it could be seen; it is judged after 30.",
        days,
    )
    return told % {"days": days}
