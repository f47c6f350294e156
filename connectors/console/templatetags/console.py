"""The console's template tags; builtins, so no page needs `{% load console %}`.

{% icon "plus" %} {% icon "plus" size=16 %}     a heroicon (mini), hidden from screen readers
{% effect "read" %}                             read, write, destructive, unknown: one colour, one shape each
{% state connection.state %}                    a badge for any state of `rendering.states.STATES`
{% badge "3 new" tone="accent" %}               a badge with words of your own: calm good warn bad accent
{% when moment %}                               "3 minutes ago"; hover shows the absolute time with its zone
{% when moment absolute=True %}                 the absolute time; hover shows the relative one
{{ size|bytes }} {{ microseconds|duration }} {{ seconds|seconds }} {{ number|count }}
{{ share|percent }} {{ errors|rate:calls }}       "3.4 %"
{% sparkline values label %}                    inline SVG with a text alternative
{% trend row.month.calls row.daily %}           the calls of the last 30 days as a sparkline, nothing without calls
{% error_rate use.errors use.calls %}           what share of the calls did not succeed, how many on hover
{% copy text %} {% copy digest short=True %}    the text as code, with a copy button (short: elided, copied whole)
{% connector_icon digest name %}                the package's icon, or the first letter of its name
{% avatar connection %}                         its owner's picture there, or initials; small=True in rows
{% card title %} … {% endcard %}                a titled card; title "" for none
{% notice tone title %} … {% endnotice %}       something to know: calm good warn bad
{% nothing icon title %} … {% endnothing %}     nothing here: say why (a <p>) and offer the first act (a .button)
{% dialog id title %} … {% enddialog %}         a modal; open it with
                                                <button type="button" commandfor="ID" command="show-modal">
"""

from collections.abc import Sequence
from datetime import datetime
from functools import cache, lru_cache

from django import template
from django.forms.boundfield import BoundField
from django.forms.widgets import ChoiceWidget
from django.urls import get_script_prefix, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from connectors.authorization.models import Connection, ConnectionAvatar
from connectors.console.rendering.amounts import tell_bytes, tell_count, tell_duration, tell_percent, tell_rate
from connectors.console.rendering.drawn_once import drawn_once
from connectors.console.rendering.icons import draw_icon
from connectors.console.rendering.initials import tell_initials
from connectors.console.rendering.moments import tell_absolute, tell_relative
from connectors.console.rendering.sparklines import draw_sparkline
from connectors.console.rendering.states import EFFECTS, STATES, Worded

register = template.Library()
register.filter("bytes", tell_bytes)
register.filter("count", tell_count)
register.filter("duration", tell_duration)
register.filter("percent", tell_percent)
register.filter("rate", tell_rate)
register.filter("seconds", lambda seconds: tell_duration(seconds * 1_000_000))

_NOTICE_ICONS = {
    "good": "check-circle",
    "warn": "exclamation-triangle",
    "bad": "x-circle",
    "calm": "information-circle",
}
_SHORT = 12


@register.simple_tag
def icon(name: str, *, size: int = 20) -> SafeString:
    return _draw_icon(name, size)


register.tag("icon", drawn_once(register.tags["icon"]))


@cache  # parsing one anew takes longer than drawing a table's row; names and sizes are few
def _draw_icon(name: str, size: int) -> SafeString:
    return mark_safe(draw_icon(name, size))  # noqa: S308 - the package's own SVG


@register.simple_tag
def effect(name: str) -> SafeString:
    key = name if name in EFFECTS else "unknown"
    known = EFFECTS[key]
    return format_html(
        '<span class="effect effect-{}"><svg width="10" height="10" viewBox="0 0 12 12" fill="currentColor"'
        ' aria-hidden="true">{}</svg>{}</span>',
        key,
        known.shape,
        known.label,
    )


@register.simple_tag
def state(value: str) -> SafeString:
    return _draw_state(value, get_language())


@lru_cache(maxsize=512)
def _draw_state(value: str, _language: str | None) -> SafeString:
    worded = STATES.get(value, Worded(value, "calm"))
    return badge(worded.label, tone=worded.tone)


@register.simple_tag
def state_label(value: str) -> str:
    return str(STATES.get(value, Worded(value, "calm")).label)


@register.simple_tag
def optional(field: BoundField) -> SafeString:
    """A manifest's form tells what must be filled in by `aria-required`; the manifest's own rules decide."""
    if (
        isinstance(field.field.widget, ChoiceWidget)
        or field.field.required
        or field.field.widget.attrs.get("aria-required")
    ):
        return mark_safe("")
    return format_html(' <span class="optional">{}</span>', _("(optional)"))


@register.simple_tag
def badge(label: object, *, tone: str = "calm") -> SafeString:
    return format_html('<span class="badge badge-{}">{}</span>', tone, label)


@register.simple_tag
def when(moment: datetime | None, *, absolute: bool = False) -> SafeString:
    if moment is None:
        return format_html('<span class="soft">{}</span>', _("never"))
    at, relative, exact = moment.isoformat(), tell_relative(moment), tell_absolute(moment)
    if absolute:
        return format_html('<time class="exact" datetime="{}" title="{}">{}</time>', at, relative, exact)
    return format_html('<time datetime="{}" title="{}">{}</time>', at, exact, relative)


@register.simple_tag
def sparkline(values: Sequence[int], label: str) -> SafeString:
    return draw_sparkline(values, label=label)


@register.simple_tag
def trend(calls: int, daily: Sequence[int]) -> SafeString:
    if not calls:
        return mark_safe("")
    label = ngettext("%(calls)s call in 30 days", "%(calls)s calls in 30 days", calls) % {"calls": calls}
    return draw_sparkline(daily, label=label)


@register.simple_tag
def error_rate(errors: int, calls: int) -> SafeString:
    if not calls:
        return format_html('<span class="soft" title="{}">–</span>', _("no calls"))
    if not errors:
        return mark_safe("0 %")
    return format_html('<span title="{}">{}</span>', tell_count(errors), tell_rate(errors, calls))


@register.simple_tag
def copy(text: str, *, short: bool = False) -> SafeString:
    text += ""  # a plain text, to be escaped, even where a template's literal counts as safe HTML
    return format_html(
        '<span class="copy"><code title="{full}">{shown}</code><button class="button button-quiet button-icon only-js"'
        ' type="button" data-copy="{full}" data-copied="{copied}" aria-label="{label}">{icon}</button></span>',
        full=text,
        shown=f"{text[:_SHORT]}…" if short and len(text) > _SHORT else text,
        copied=_("Copied"),
        label=_("Copy %(text)s") % {"text": text[:40]},
        icon=icon("square-2-stack", size=16),
    )


@register.simple_tag
def connector_icon(digest: str, name: str, *, small: bool = False) -> SafeString:
    classes = "connector-icon connector-icon-small" if small else "connector-icon"
    if not digest:
        return format_html('<span class="{}" aria-hidden="true">{}</span>', classes, name[:1])
    return format_html(
        '<span class="{}" aria-hidden="true"><img src="{}" alt="" loading="lazy"></span>',
        classes,
        _icon_address(digest, get_script_prefix()),
    )


@lru_cache(maxsize=4_096)
def _icon_address(digest: str, _prefix: str) -> str:
    return reverse("console:icon", args=[digest])


@register.simple_tag
def avatar(connection: Connection, *, small: bool = False) -> SafeString:
    """The row carries its `avatar`, its content deferred; what shows is never an address of somebody else's."""
    classes = "avatar avatar-small" if small else "avatar"
    picture: ConnectionAvatar | None = getattr(connection, "avatar", None)
    if picture is not None:
        url = reverse("console:connection_avatar", args=[connection.pk, picture.digest])
        return format_html(
            '<span class="{}" aria-hidden="true"><img src="{}" alt="" loading="lazy"></span>', classes, url
        )
    initials = tell_initials(connection.external_account_name or connection.alias)
    return format_html('<span class="{}" aria-hidden="true">{}</span>', classes, initials or icon("user"))


@register.simple_block_tag
def card(content: SafeString, title: str = "") -> SafeString:
    head = format_html('<div class="card-head"><h2>{}</h2></div>', title) if title else ""
    return format_html('<section class="card">{}<div class="card-body">{}</div></section>', head, content)


@register.simple_block_tag
def notice(content: SafeString, tone: str = "calm", title: str = "") -> SafeString:
    head = format_html("<p><strong>{}</strong></p>", title) if title else ""
    return format_html(
        '<div class="notice notice-{}">{}<div>{}{}</div></div>', tone, icon(_NOTICE_ICONS[tone]), head, content
    )


@register.simple_block_tag
def nothing(content: SafeString, icon_name: str, title: str) -> SafeString:
    return format_html('<div class="empty">{}<h2>{}</h2>{}</div>', icon(icon_name, size=28), title, content)


@register.simple_block_tag
def dialog(content: SafeString, id: str, title: str) -> SafeString:  # noqa: A002 - it is the HTML id
    return format_html(
        '<dialog id="{id}" class="dialog" aria-labelledby="{id}-title">'
        '<h2 id="{id}-title">{title}</h2>{content}</dialog>',
        id=id,
        title=title,
        content=content,
    )
