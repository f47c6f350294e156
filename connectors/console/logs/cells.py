"""Values of a log as the list and the record's page show them: plain, as code, as a link."""

import uuid
from datetime import datetime

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from connectors.console.logs.lines import Text
from connectors.console.rendering.amounts import tell_bytes, tell_count, tell_duration
from connectors.console.rendering.moments import tell_absolute, tell_relative
from connectors.console.templatetags.console import copy, effect

NOTHING = mark_safe('<span class="soft">—</span>')


def plain(value: object) -> Text:
    return NOTHING if value in (None, "") else str(value)


def code(value: object) -> Text:
    return NOTHING if value in (None, "") else format_html("<code>{}</code>", value)


def digest(value: str) -> Text:
    return copy(value, short=True) if value else NOTHING


def amount(number: int) -> str:
    return tell_count(number)


def size(number: int) -> str:
    return tell_bytes(number)


def lasted(microseconds: int) -> Text:
    return tell_duration(microseconds) if microseconds else NOTHING


def moment(at: datetime) -> SafeString:
    """To the microsecond, as it was recorded; how long ago on hover."""
    shown, hover = tell_absolute(at, exact=True), tell_relative(at)
    return format_html('<time class="exact" datetime="{}" title="{}">{}</time>', at.isoformat(), hover, shown)


def effect_of(name: str) -> Text:
    return effect(name) if name else NOTHING


def stacked(above: object, below: object) -> SafeString:
    """Two lines in one cell, the second one smaller."""
    return format_html('<div class="who">{}<span class="soft small block">{}</span></div>', above or "—", below)


def linked(route: str, key: uuid.UUID, words: object) -> SafeString:
    return format_html('<a href="{}">{}</a>', reverse(f"console:{route}", args=[key]), words)


def titled(route: str, key: uuid.UUID, *, tool: str, hint: str, below: str) -> SafeString:
    """The cell that names the row and leads to its own page."""
    return format_html(
        '<div class="row-title"><div><a class="mono" href="{}" title="{}">{}</a>'
        '<span class="soft">{}</span></div></div>',
        reverse(f"console:{route}", args=[key]),
        hint,
        tool,
        below,
    )


def yes_no(value: bool) -> str:  # noqa: FBT001 - the one value it words
    return _("Yes") if value else _("No")
