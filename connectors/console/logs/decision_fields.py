"""The fields of a decision: its columns and its facts."""

from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from connectors.console.logs.cells import code, digest, moment
from connectors.console.logs.lines import DecisionLine, Field, Text
from connectors.console.logs.subject_fields import IDENTIFIERS, PERSON_FIELDS, SUBJECT_FIELDS, name_cell
from connectors.console.templatetags.console import state, when

WHY, IDS = "why", "ids"


def _answer(line: DecisionLine) -> Text:
    return state("allowed" if line.record.allowed else "denied")


def _why(line: DecisionLine) -> Text:
    """The rule in words and, of a denial, how to get allowed."""
    told = line.explanation
    if line.record.allowed:
        return format_html('<div class="reason">{}</div>', told.title)
    mend = format_html('<a href="{}">{}</a>', told.url, told.act) if told.url else told.mend
    return format_html('<div class="reason">{}<span class="soft small block">{}</span></div>', told.title, mend)


DECISION_FIELDS: tuple[Field[DecisionLine], ...] = (
    Field(
        key="tool",
        title=_("Tool"),
        names=("tool", "upstream_tool", "connector_key", "alias"),
        show=lambda line: name_cell(line, "decision"),
        first=True,
        first_own=True,
    ),
    Field(key="answer", title=_("Decision"), names=("allowed",), show=_answer, group=WHY, first=True, first_own=True),
    Field(key="why", title=_("Why"), names=("rule",), show=_why, first=True, first_own=True),
    *PERSON_FIELDS,
    Field(key="rule", title=_("Rule"), names=("rule",), show=lambda line: code(line.record.rule), group=WHY),
    Field(key="reason", title=_("Reason"), names=("reason",), show=lambda line: code(line.record.reason), group=WHY),
    Field(key="at", title=_("Decided at"), names=("at",), show=lambda line: moment(line.record.at), group="time"),
    *SUBJECT_FIELDS,
    Field(
        key="revision",
        title=_("Package revision"),
        names=("manifest_revision",),
        show=lambda line: digest(line.record.manifest_revision),
        group="what",
    ),
    Field(
        key="digest",
        title=_("Tool digest"),
        names=("tool_digest",),
        show=lambda line: digest(line.record.tool_digest),
        group="what",
    ),
    *IDENTIFIERS,
    Field(key="id", title=_("Decision id"), names=("id",), show=lambda line: code(line.record.pk), group=IDS),
    Field(
        key="when", title=_("When"), names=("at",), show=lambda line: when(line.record.at), first=True, first_own=True
    ),
)
