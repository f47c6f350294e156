"""What a test of the webhook came to, and how to mend it, in words."""

from collections.abc import Callable
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from connectors.console.rendering.sentences import join_sentences
from connectors.ledger.webhook_trial import Trial

STAGES_OF_WEBHOOKS: Final[dict[str, str | Promise]] = {
    "address": _("The address is one this console may not call. Give a public https address."),
    "dns": _("The server's name could not be found. Check the address."),
    "tcp": _("The server did not take the connection. See that it runs and lets this console in."),
    "tls": _("No secure connection could be made. See that its certificate is valid for this name."),
}
_BY_STATUS: Final[tuple[tuple[Callable[[int], bool], str | Promise], ...]] = (
    (
        lambda status: status // 100 == 3,  # noqa: PLR2004 - the hundreds of a redirection
        _("Redirects are not followed. Give the address it leads to."),
    ),
    (
        lambda status: status in (401, 403),
        _("The receiver refuses it. See that it checks the signature with the secret of this webhook."),
    ),
    (lambda status: status in (404, 405, 410), _("Nothing takes messages there. Check the path of the address.")),
    (lambda status: status == 429, _("The receiver has too much to do. Try again later.")),  # noqa: PLR2004
    (lambda _status: True, _("The receiver was reached and failed at it. Its own log says why.")),
)


def tell_trial(trial: Trial) -> str:
    """Return one line: the status and time, and what to mend where it was not taken."""
    told = {"status": trial.status, "time": f"{trial.milliseconds} ms", "code": trial.code}
    if trial.taken:
        return gettext("The receiver took the test: %(status)s in %(time)s.") % told
    if trial.status is not None:
        what = gettext("The receiver answered %(status)s in %(time)s.") % told
        return join_sentences(what, next(mend for fits, mend in _BY_STATUS if fits(trial.status)))
    what = gettext("The test did not get through (%(code)s, after %(time)s).") % told
    no_answer = gettext("No whole answer came back in time. The receiver may have got it: look into its log.")
    return join_sentences(what, STAGES_OF_WEBHOOKS.get(trial.stage, no_answer))
