"""What calls and decisions share: who asked, from where, in which run, through which connection."""

from typing import Final

from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from connectors.console.logs.cells import NOTHING, code, effect_of, linked, plain, stacked, titled
from connectors.console.logs.lines import CallLine, DecisionLine, Field, Text
from connectors.console.rendering.spelling import spell
from connectors.console.templatetags.console import state_label

type SubjectLine = CallLine | DecisionLine
WHO, WHAT = "who", "what"
GROUPS: Final[dict[str, Promise]] = {
    "time": _("Time"),
    "outcome": _("Outcome"),
    "why": _("Why"),
    WHAT: _("What was asked for"),
    WHO: _("Who and where"),
    "content": _("Size and digests"),
    "act": _("Act and target"),
    "ids": _("Identifiers"),
}


def name_cell(line: SubjectLine, route: str) -> SafeString:
    record = line.record
    below = f"{line.connector} · {record.alias}" if record.alias else line.connector
    tool = spell(record.upstream_tool or record.tool)
    return titled(route, record.pk, tool=tool, hint=spell(record.tool), below=below)


def _who(line: SubjectLine) -> Text:
    return stacked(line.record.person_name, line.record.agent_name)


def _agent(line: SubjectLine) -> Text:
    record = line.record
    if record.agent_id and line.mine:
        return linked("agent", record.agent_id, record.agent_name)
    return plain(record.agent_name)


def _connection(line: SubjectLine) -> Text:
    record = line.record
    if record.connection_id is None:
        return NOTHING
    if line.mine:
        return linked("connection", record.connection_id, record.alias or _now("My account"))
    return stacked(record.alias, code(record.connection_id))


def _run(line: SubjectLine) -> Text:
    record = line.record
    return linked("run", record.run_id, _now("Open the run")) if record.run_id else NOTHING


def _origin(line: SubjectLine) -> Text:
    return state_label(line.record.origin) if line.record.origin else NOTHING


PERSON_FIELDS: tuple[Field[SubjectLine], ...] = (
    Field(
        key="who",
        title=_("Who"),
        names=("person_id", "person_name", "agent_name"),
        show=_who,
        first=True,
        for_everyone=True,
    ),
    Field(
        key="person",
        title=_("Person"),
        names=("person_id", "person_name"),
        show=lambda line: plain(line.record.person_name),
        group=WHO,
        for_everyone=True,
    ),
    Field(key="agent", title=_("Agent"), names=("agent_id", "agent_name"), show=_agent, group=WHO, first_own=True),
)
SUBJECT_FIELDS: tuple[Field[SubjectLine], ...] = (
    Field(
        key="address",
        title=pgettext_lazy("network", "From address"),
        names=("remote_address",),
        show=lambda line: code(line.record.remote_address),
        group=WHO,
    ),
    Field(key="connection", title=_("Connection"), names=("connection_id", "alias"), show=_connection, group=WHO),
    Field(key="run", title=_("Run"), names=("run_id",), show=_run, group=WHO),
    Field(key="origin", title=_("Origin"), names=("origin",), show=_origin, group=WHO),
    Field(
        key="connector",
        title=_("Connector"),
        names=("connector_key",),
        show=lambda line: stacked(line.connector, code(line.record.connector_key)),
        group=WHAT,
    ),
    Field(
        key="version",
        title=_("Package version"),
        names=("package_version",),
        show=lambda line: plain(line.record.package_version),
        group=WHAT,
    ),
    Field(
        key="public_tool",
        title=_("Name the agent used"),
        names=("tool",),
        show=lambda line: code(spell(line.record.tool)),
        group=WHAT,
    ),
    Field(
        key="upstream_tool",
        title=_("Name at the service"),
        names=("upstream_tool",),
        show=lambda line: code(spell(line.record.upstream_tool)),
        group=WHAT,
    ),
    Field(
        key="effect",
        title=_("Effect"),
        names=("effect",),
        show=lambda line: effect_of(line.record.effect),
        group=WHAT,
    ),
    Field(
        key="server",
        title=_("Server of the package"),
        names=("server",),
        show=lambda line: code(line.record.server),
        group=WHAT,
    ),
)
IDENTIFIERS: tuple[Field[SubjectLine], ...] = (
    Field(
        key="approval",
        title=_("Approval"),
        names=("approval_id",),
        show=lambda line: code(line.record.approval_id),
        group="ids",
    ),
    Field(
        key="trace",
        title=_("Trace"),
        names=("trace_id",),
        show=lambda line: code(line.record.trace_id),
        group="ids",
    ),
)
