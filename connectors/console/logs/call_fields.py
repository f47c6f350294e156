"""The fields of a call: its columns and its facts."""

from django.utils.html import format_html
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from connectors.console.logs.cells import NOTHING, amount, code, digest, lasted, linked, moment, size, yes_no
from connectors.console.logs.lines import CallLine, Field, Text
from connectors.console.logs.subject_fields import IDENTIFIERS, PERSON_FIELDS, SUBJECT_FIELDS, name_cell
from connectors.console.templatetags.console import effect, state, when

TIME, OUTCOME, CONTENT, IDS = "time", "outcome", "content", "ids"


def _outcome(line: CallLine) -> Text:
    call = line.record
    shown = effect(call.effect) if call.effect and call.effect != "read" else ""
    error = format_html('<code class="soft small block">{}</code>', call.error_code) if call.error_code else ""
    return format_html('<span class="inline log-outcome">{} {}{}</span>', state(call.outcome), shown, error)


def _sizes(line: CallLine) -> str:
    return f"{size(line.record.arguments_bytes)} / {size(line.record.result_bytes)}"


def _fingerprint(line: CallLine) -> Text:
    shown = line.record.credential_fingerprint
    return code(f"…{shown}") if shown else NOTHING


COLUMNS: tuple[Field[CallLine], ...] = (
    Field(
        key="tool",
        title=_("Tool"),
        names=("tool", "upstream_tool", "connector_key", "alias"),
        show=lambda line: name_cell(line, "call"),
        first=True,
        first_own=True,
    ),
    Field(
        key="outcome", title=_("Outcome"), names=("outcome", "error_code"), show=_outcome, first=True, first_own=True
    ),
    *PERSON_FIELDS,
    Field(
        key="took",
        title=_("Took"),
        names=("elapsed_us",),
        show=lambda line: lasted(line.record.elapsed_us),
        group=TIME,
        first=True,
        first_own=True,
        number=True,
    ),
    Field(
        key="sizes",
        title=_("In / out"),
        names=("arguments_bytes", "result_bytes"),
        show=_sizes,
        first=True,
        first_own=True,
        number=True,
    ),
)
FACTS: tuple[Field[CallLine], ...] = (
    Field(
        key="started",
        title=_("Started"),
        names=("started_at",),
        show=lambda line: moment(line.record.started_at),
        group=TIME,
    ),
    Field(
        key="ended", title=_("Ended"), names=("ended_at",), show=lambda line: moment(line.record.ended_at), group=TIME
    ),
    Field(
        key="queued",
        title=_("Waited for a free place"),
        names=("queue_us",),
        show=lambda line: lasted(line.record.queue_us),
        group=TIME,
        number=True,
    ),
    Field(
        key="refreshed",
        title=_("Renewing the credential"),
        names=("refresh_us",),
        show=lambda line: lasted(line.record.refresh_us),
        group=TIME,
        number=True,
    ),
    Field(
        key="connected",
        title=_("Connecting"),
        names=("connect_us",),
        show=lambda line: lasted(line.record.connect_us),
        group=TIME,
        number=True,
    ),
    Field(
        key="upstream",
        title=_("At the service"),
        names=("upstream_us",),
        show=lambda line: lasted(line.record.upstream_us),
        group=TIME,
        number=True,
    ),
    Field(
        key="state",
        title=_("Outcome"),
        names=("outcome",),
        show=lambda line: state(line.record.outcome),
        group=OUTCOME,
        fact_only=True,
    ),
    Field(
        key="error",
        title=_("Error code"),
        names=("error_code",),
        show=lambda line: code(line.record.error_code),
        group=OUTCOME,
    ),
    Field(
        key="retries",
        title=_("Retries"),
        names=("retries",),
        show=lambda line: amount(line.record.retries),
        group=OUTCOME,
        number=True,
    ),
    *SUBJECT_FIELDS,
    Field(
        key="service",
        title=_("Service address"),
        names=("server_address",),
        show=lambda line: code(line.record.server_address),
        group="what",
    ),
    Field(
        key="credential",
        title=_("Credential's fingerprint"),
        names=("credential_fingerprint",),
        show=_fingerprint,
        group="who",
    ),
    Field(
        key="arguments",
        title=_("Arguments"),
        names=("arguments_bytes",),
        show=lambda line: size(line.record.arguments_bytes),
        group=CONTENT,
        number=True,
    ),
    Field(
        key="arguments_digest",
        title=_("Arguments digest"),
        names=("arguments_digest",),
        show=lambda line: digest(line.record.arguments_digest),
        group=CONTENT,
    ),
    Field(
        key="result",
        title=_("Result"),
        names=("result_bytes",),
        show=lambda line: size(line.record.result_bytes),
        group=CONTENT,
        number=True,
    ),
    Field(
        key="result_digest",
        title=_("Result digest"),
        names=("result_digest",),
        show=lambda line: digest(line.record.result_digest),
        group=CONTENT,
    ),
    Field(
        key="captured",
        title=_("Content was kept"),
        names=("captured",),
        show=lambda line: yes_no(line.record.captured),
        group=CONTENT,
    ),
    Field(
        key="decision",
        title=_("Decision"),
        names=("decision_id",),
        show=lambda line: linked("decision", line.record.decision_id, _now("Open the decision")),
        group=IDS,
    ),
    *IDENTIFIERS,
    Field(
        key="invocation",
        title=_("Invocation"),
        names=("invocation_id",),
        show=lambda line: code(line.record.invocation_id),
        group=IDS,
    ),
    Field(key="id", title=_("Call id"), names=("id",), show=lambda line: code(line.record.pk), group=IDS),
)
WHEN: Field[CallLine] = Field(
    key="when",
    title=_("When"),
    names=("started_at",),
    show=lambda line: when(line.record.started_at),
    first=True,
    first_own=True,
)
CALL_FIELDS = (*COLUMNS, *FACTS, WHEN)
