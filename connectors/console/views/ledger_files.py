"""The ledger, a person's own connections in it and a review's report as CSV; taking one is an event of its own."""

import uuid
from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.http import HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext as _

from connectors.audit.export import record_export
from connectors.audit.export_csv import write_csv_rows
from connectors.console.connection_pages import ConnectionLine, list_connections
from connectors.console.ledger_pages import LedgerLine, list_ledger
from connectors.console.permissions import MANAGE_CONNECTORS, PersonRequest, screen
from connectors.console.review_pages import read_report
from connectors.console.streaming import stream
from connectors.ledger.connection_rows import ConnectionRow
from connectors.ledger.models import ReviewLine
from connectors.ledger.queries import find_review
from connectors.ledger.rows import LedgerRow


@screen(MANAGE_CONNECTORS)
def ledger_csv(request: PersonRequest) -> HttpResponseBase:
    head = [_("Connector"), _("Key"), _("Purpose"), _("Owner"), _("Source"), _("Version"), _("Status"), _("Installed")]
    head += [_("Last used"), _("Last used by"), *_heads_of_use(), _("May see it"), _("Connections"), _("Agents")]
    head += [_("Tools allowed"), _("Tools used"), _("Tools never used"), _("Context, tokens"), _("Health")]
    head += [_("Suggested"), _("Disposition"), _("Reason"), _("Decided by"), _("Decided at"), _("Next review")]
    return _send(request, "ledger", head, [_cells(line) for line in list_ledger().lines])


@screen()
def connections_csv(request: PersonRequest) -> HttpResponseBase:
    """The reader's own connections, a row each."""
    head = [_("Connector"), _("Key"), _("Account"), _("State"), _("Connected at"), _("Last used"), *_heads_of_use()]
    head += [_("Agents"), _("Tools allowed"), _("Tools used"), _("Tools never used"), _("Context, tokens"), _("Health")]
    rows = [_connection_cells(line) for line in list_connections(request.user)]
    return _send(request, "connections", head, rows)


@screen(MANAGE_CONNECTORS)
def review_csv(request: PersonRequest, review_id: uuid.UUID) -> HttpResponseBase:
    head = [_("Connector"), _("Key"), _("Version"), _("Last used"), _("Calls, 90 days"), _("Errors, 90 days")]
    head += [_("Suggested"), _("Decided"), _("Reason"), _("Decided by"), _("At"), _("Next review")]
    report = read_report(find_review(review_id))
    return _send(request, "review", head, [_review_cells(line) for line in report.lines])


def _cells(line: LedgerLine) -> list[Any]:
    row, held = line.row, line.row.disposition
    connector = row.connector
    told: list[Any] = [line.text.name, connector.key, line.purpose, row.owner.name if row.owner else "", row.source]
    told += [connector.version.version, connector.status, connector.installed_at, row.last_used_at, row.last_used_by]
    told += [*_use_cells(row), row.people, row.connections, row.agents]
    told += [row.tools.allowed, row.tools.used, len(row.tools.never), row.context_tokens, str(row.health)]
    told += [row.suggestion.verdict]
    if held is None:
        return [*told, "", "", "", None, None]
    return [*told, held.verdict, held.reason, held.decided_by_name, held.decided_at, held.next_review_on.isoformat()]


def _heads_of_use() -> list[str]:
    calls = [_("Calls, 7 days"), _("Calls, 30 days"), _("Calls, 90 days")]
    return [*calls, _("Errors, 7 days"), _("Errors, 30 days"), _("Errors, 90 days"), _("p95, 30 days, ms")]


def _use_cells(row: LedgerRow | ConnectionRow) -> list[Any]:
    stretches, p95_us = (row.week, row.month, row.quarter), row.month.p95_us
    told = [*(each.calls for each in stretches), *(each.errors for each in stretches)]
    return [*told, None if p95_us is None else p95_us / 1000]


def _connection_cells(line: ConnectionLine) -> list[Any]:
    connection, row = line.connection, line.row
    told: list[Any] = [line.text.name, connection.connector.key, connection.alias or connection.external_account_name]
    told += [str(line.badge.label), connection.created_at, line.last_used_at, *_use_cells(row), line.agents]
    return [*told, row.allowed, row.used, len(row.never), row.context_tokens, str(row.health)]


def _review_cells(line: ReviewLine) -> list[Any]:
    decided = bool(line.answer) and line.answer != ReviewLine.Answer.SKIPPED
    figures = [line.last_used_at, line.calls, line.errors, line.suggested] if decided else [None, None, None, ""]
    next_review = line.next_review_on.isoformat() if line.next_review_on else None
    told: list[Any] = [line.connector_name, line.connector_key, line.version, *figures]
    return [*told, line.answer, line.reason, line.decided_by_name, line.decided_at, next_review]


def _send(request: PersonRequest, kind: str, head: Sequence[str], rows: list[list[Any]]) -> HttpResponseBase:
    with transaction.atomic():
        record_export(actor=request.user, kind=kind, rows=len(rows))
    pieces = write_csv_rows(head, rows, zone=timezone.get_current_timezone())
    name = f"{kind}-{timezone.localdate():%Y-%m-%d}.csv"
    return stream(request, pieces, content_type="text/csv; charset=utf-8", file_name=name)
