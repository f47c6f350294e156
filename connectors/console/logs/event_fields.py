"""The fields of an administrative event: its columns and its facts."""

import re

from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from connectors.console.acts import Change, EventLine
from connectors.console.logs.cells import NOTHING, amount, code, digest, moment, plain
from connectors.console.logs.lines import Field, Text
from connectors.console.templatetags.console import when

ACT, WHO, IDS = "act", "who", "ids"
_DIGEST = re.compile(r"[0-9a-f]{64}")


def _act(line: EventLine) -> Text:
    return format_html(
        '<div class="row-title"><div><a href="{}">{}</a><span class="soft">{}</span></div></div>',
        reverse("console:event", args=[line.event.pk]),
        line.act,
        line.event.target_name,
    )


def show_changes(line: EventLine, *, whole: bool = False) -> Text:
    """Every field whose value differs, before and after; digests by their beginning, unless they are wanted whole."""
    if not line.changes:
        return NOTHING
    changes = format_html_join("", "{}", ((_change(one, whole=whole),) for one in line.changes))
    return format_html('<dl class="changes">{}</dl>', changes)


def _change(change: Change, *, whole: bool) -> SafeString:
    arrow = mark_safe(' <span aria-hidden="true">→</span> ')
    before, after = _value(change.before, whole=whole), _value(change.after, whole=whole)
    told = format_html("<del>{}</del>{}", before, arrow) if change.before else ""
    return format_html("<div><dt>{}</dt><dd>{}<ins>{}</ins></dd></div>", change.field, told, after)


def _value(text: str, *, whole: bool) -> Text:
    if not whole and _DIGEST.fullmatch(text):
        return format_html('<code title="{}">{}…</code>', text, text[:12])
    return text or "—"


EVENT_FIELDS: tuple[Field[EventLine], ...] = (
    Field(key="act", title=_("Act"), names=("act", "target_name"), show=_act, first=True, first_own=True),
    Field(
        key="person",
        title=_("Person"),
        names=("actor_id", "actor_name"),
        show=lambda line: plain(line.event.actor_name),
        group=WHO,
        first=True,
        first_own=True,
    ),
    Field(
        key="changes",
        title=_("What changed"),
        names=("before", "after"),
        show=show_changes,
        first=True,
        first_own=True,
    ),
    Field(
        key="address",
        title=pgettext_lazy("network", "From address"),
        names=("remote_address",),
        show=lambda line: code(line.event.remote_address),
        group=WHO,
        first=True,
        first_own=True,
    ),
    Field(
        key="code", title=_("Act"), names=("act",), show=lambda line: code(line.event.act), group="act", fact_only=True
    ),
    Field(
        key="target",
        title=_("Target"),
        names=("target_name",),
        show=lambda line: plain(line.event.target_name),
        group="act",
    ),
    Field(
        key="kind",
        title=_("Kind of target"),
        names=("target_kind",),
        show=lambda line: code(line.event.target_kind),
        group="act",
    ),
    Field(
        key="target_id",
        title=_("Target's id"),
        names=("target_id",),
        show=lambda line: code(line.event.target_id),
        group="act",
    ),
    Field(key="at", title=_("Recorded at"), names=("at",), show=lambda line: moment(line.event.at), group="time"),
    Field(
        key="sequence",
        title=_("Number in the chain"),
        names=("sequence",),
        show=lambda line: NOTHING if line.event.sequence is None else amount(line.event.sequence),
        group=IDS,
        number=True,
    ),
    Field(
        key="previous_hash",
        title=_("Hash of the event before"),
        names=("previous_hash",),
        show=lambda line: digest(line.event.previous_hash or ""),
        group=IDS,
    ),
    Field(key="hash", title=_("Hash"), names=("hash",), show=lambda line: digest(line.event.hash), group=IDS),
    Field(key="id", title=_("Event id"), names=("id",), show=lambda line: code(line.event.pk), group=IDS),
    Field(
        key="when", title=_("When"), names=("at",), show=lambda line: when(line.event.at), first=True, first_own=True
    ),
)
