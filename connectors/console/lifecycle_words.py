"""What updating, rolling back, draining and removing say: refusals, what occupies a connector, how far a removal is."""

from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from connectors.manifest.fault_messages import FaultWords, register_fault_texts

_RAISE = _("Raise package_version in the manifest, pack it again and upload that.")

# code -> (what happened, what to do), as in `messages.SENTENCES`.
LIFECYCLE_SENTENCES: dict[str, tuple[str | Promise, str | Promise]] = {
    "version_not_found": (
        _("Version %(version)s of %(key)s is not installed."),
        _("Look at its Versions tab for those that are."),
    ),
    "same_version": (_("Version %(version)s of %(key)s is in use already."), _RAISE),
    "version_not_higher": (
        _("This is version %(version)s of %(key)s, and version %(installed)s is in use."),
        _("An update never goes back. To return to an older version, roll back to it on the Versions tab."),
    ),
    "package_key_differs": (
        _("This is a package of %(key)s, not of %(expected)s."),
        _("Choose the right file, or install it as a connector of its own."),
    ),
    "installed_version_changed": (
        _("Another version of %(key)s came into use while this page was open: %(installed)s."),
        _("Nothing was changed. Reload the page and look at the difference to it."),
    ),
    "risk_not_accepted": (
        _("Not every raised risk is ticked."),
        _("Read each of them and tick it if it is meant. Nothing was changed."),
    ),
    "configuration_changed": (
        _("The configuration was changed while this page was open."),
        _("Nothing was overwritten. Look at the values as they are now, then send it again."),
    ),
    "reauthorization_differs": (
        _("The number of people who must authorize again is %(people)s, not %(expected)s as the page said."),
        _("Nothing was changed. If that is meant, send it again."),
    ),
    "connector_occupied": (
        _("%(key)s is in use at this moment."),
        _("Wait for what is listed, or let it drain: then it is done by itself as soon as nothing uses it."),
    ),
    "connector_draining": (
        _("%(key)s is being drained for a change and takes nothing new."),
        _("Try again in a few minutes. An administrator can cancel that on the connector's page."),
    ),
    "connector_removing": (_("%(key)s is being removed and is out of use for good."), _("Nothing was changed.")),
    "drain_not_waiting": (
        _("There is no drain any more: it has ended."),
        _("The connector's page says how."),
    ),
    "removal_not_found": (
        _("This removal is not there, or ended a while ago."),
        _("The administrative log keeps that it happened."),
    ),
}

register_fault_texts(
    {
        "key_does_not_match": FaultWords(
            en=("This is not the connector's key.", "Type the key exactly as it is shown."),
            zh=("输入的 key 与连接器不一致。", "请完整输入页面上显示的 key。"),
        ),
    }
)

# What somebody who ticks a raised risk takes upon themselves, by kind of change.
RISKS: Final[dict[str, str | Promise]] = {
    "effect_raised": _("I accept that agents which may use %(subject)s can do more with it than before."),
    "confirmation_dropped": _("I accept that %(subject)s runs without a person confirming each call."),
    "tool_added": _("I accept that agents which may use everything may use %(subject)s as well."),
    "host_added": _("I accept that data goes to %(subject)s."),
    "scope_added": _("I accept that people are asked to allow %(subject)s at the service."),
}

OCCUPANTS: Final[dict[str, str | Promise]] = {
    "run": _("Run"),
    "stopped_run": _("Run that was ended; its last calls may still be on their way"),
    "authorization": _("Authorization in progress"),
    "refresh": _("Credential being refreshed"),
}


@dataclass(frozen=True, slots=True)
class DrainWords:
    """What a drained change is called while it waits, when it is done, when it failed, and its button."""

    waiting: str | Promise
    done: str | Promise
    failed: str | Promise
    again: str | Promise


DRAINS: Final[dict[str, DrainWords]] = {
    "update": DrainWords(
        _("Draining: the update to %(version)s starts by itself as soon as nothing uses it"),
        _("Updated to %(version)s by itself, once nothing used it"),
        _("The update to %(version)s was not made"),
        _("Upload it again"),
    ),
    "rollback": DrainWords(
        _("Draining: it rolls back to %(version)s by itself as soon as nothing uses it"),
        _("Rolled back to %(version)s by itself, once nothing used it"),
        _("It was not rolled back to %(version)s"),
        _("Roll back again"),
    ),
    "removal": DrainWords(
        _("Draining: it is removed by itself as soon as nothing uses it"),
        _("Its removal has begun"),
        _("It was not removed"),
        _("Remove it again"),
    ),
}
