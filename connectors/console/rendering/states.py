"""The words and tones of every state a badge can show, and of the four effects with their shapes."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy


@dataclass(frozen=True, slots=True)
class Worded:
    label: str | Promise
    tone: str


STATES = {
    # connectors
    "draft": Worded(_("Draft"), "calm"),
    "published": Worded(_("Published"), "good"),
    "disabled": Worded(_("Withdrawn"), "warn"),
    "draining": Worded(_("Draining"), "warn"),
    "removing": Worded(_("Being removed"), "warn"),
    # connections
    "active": Worded(_("Active"), "good"),
    "reauthorization_required": Worded(_("Authorize again"), "warn"),
    "insufficient_scope": Worded(_("Scope missing"), "warn"),
    "unreachable": Worded(_("Unreachable"), "bad"),
    "disconnecting": Worded(_("Disconnecting"), "calm"),
    # one of several connectors
    "done": Worded(_("Done"), "good"),
    "unchanged": Worded(_("Unchanged"), "calm"),
    "refused": Worded(_("Refused"), "bad"),
    # decisions
    "allowed": Worded(_("Allowed"), "good"),
    "denied": Worded(_("Denied"), "bad"),
    # calls and invocations
    "claimed": Worded(_("Claimed"), "calm"),
    "sent": Worded(_("Sent"), "calm"),
    "succeeded": Worded(_("Succeeded"), "good"),
    "tool_error": Worded(_("Tool error"), "warn"),
    "failed": Worded(_("Failed"), "bad"),
    "unknown": Worded(_("Outcome unknown"), "warn"),
    # agents and tokens
    "retired": Worded(_("Retired"), "calm"),
    "revoked": Worded(_("Revoked"), "calm"),
    "expired": Worded(_("Expired"), "warn"),
    # what shall become of a connector
    "keep": Worded(_("Keep"), "good"),
    "observe": Worded(_("Observe"), "warn"),
    "uninstall": Worded(_("Uninstall"), "bad"),
    "not_yet_observed": Worded(_("Not yet observed"), "calm"),
    "skipped": Worded(_("Skipped"), "calm"),
    # how its endpoint stands
    "answers": Worded(_("Answers"), "good"),
    "asks_authorization": Worded(_("Asks for sign-in"), "good"),
    "failing": Worded(_("Failing"), "warn"),
    "dead": Worded(_("Dead"), "bad"),
    "not_asked": Worded(_("Not asked yet"), "calm"),
    "probes_off": Worded(_("Not asked"), "calm"),
    "runs_a_program": Worded(_("Runs a program"), "calm"),
    # where a run comes from
    "chat": Worded(_("Chat"), "calm"),
    "expert_chat": Worded(_("Expert chat"), "calm"),
    "scheduled": Worded(_("Scheduled task"), "calm"),
    "openapi": Worded(_("OpenAPI chat"), "calm"),
}


@dataclass(frozen=True, slots=True)
class Effect:
    label: str | Promise
    shape: SafeString


# One shape each, so that colour is never the only sign: circle, square, triangle, hollow diamond.
EFFECTS = {
    "read": Effect(pgettext_lazy("effect", "Read"), mark_safe('<circle cx="6" cy="6" r="4"/>')),
    "write": Effect(
        pgettext_lazy("effect", "Write"),
        mark_safe('<rect x="2" y="2" width="8" height="8" rx="1.5"/>'),
    ),
    "destructive": Effect(
        pgettext_lazy("effect", "Destructive"),
        mark_safe('<path d="M6 1 11.5 10.5H.5Z"/>'),
    ),
    "unknown": Effect(
        pgettext_lazy("effect", "Unknown"),
        mark_safe('<path d="M6 1.5 10.5 6 6 10.5 1.5 6Z" fill="none" stroke="currentColor" stroke-width="1.5"/>'),
    ),
}
