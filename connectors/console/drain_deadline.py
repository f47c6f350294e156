"""How long a drain waits for runs that do not end by themselves: what is offered, and what was chosen."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

FIELD: Final = "end-runs-after"  # with a hyphen: the same form holds a package's own fields
DEFAULT: Final = "1440"
CHOICES: Final[dict[str, str | Promise]] = {
    "15": _("are ended after 15 minutes"),
    "60": _("are ended after an hour"),
    "240": _("are ended after 4 hours"),
    DEFAULT: _("are ended after a day"),
    "": _("are waited for, however long they last"),
}


def read_deadline(data: Mapping[str, str]) -> timedelta | None:
    """Return after how long open runs are to be ended; none, also for what was not offered: wait for them."""
    chosen = data.get(FIELD, "")
    return timedelta(minutes=int(chosen)) if chosen in CHOICES and chosen else None


def offer_deadlines(data: Mapping[str, str]) -> dict[str, object]:
    """Return what the page's choice needs, with what was sent chosen again."""
    sent = data.get(FIELD, DEFAULT)
    return {"field": FIELD, "choices": CHOICES, "chosen": sent if sent in CHOICES else DEFAULT}
