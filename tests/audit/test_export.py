"""A log as a file: every row that is filtered, in people's own time, and nothing a spreadsheet would run."""

import csv
import io
import json
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from connectors.audit import export
from connectors.audit.export import export_columns, export_rows
from connectors.audit.export_cells import guard_text, write_json
from connectors.audit.export_csv import write_csv_rows
from connectors.audit.filters import CallFilters, DecisionFilters, EventFilters
from connectors.audit.models import AdminEvent
from connectors.errors import Refused
from tests.builders.logs import make_call, make_decision
from tests.builders.people import make_administrator, make_user

pytestmark = pytest.mark.django_db
BERLIN, UTC_ZONE = ZoneInfo("Europe/Berlin"), ZoneInfo("UTC")


@pytest.fixture
def ann():
    return make_user("ann")


def take(kind="calls", filters=None, form="jsonl", zone=UTC_ZONE, actor=None, **more) -> bytes:
    filters = filters or {"calls": CallFilters, "decisions": DecisionFilters, "events": EventFilters}[kind]()
    return b"".join(export_rows(kind=kind, filters=filters, format=form, zone=zone, actor=actor, **more))


def lines(**options) -> list[dict]:
    return [json.loads(line) for line in take(form="jsonl", **options).decode().splitlines()]


def table(**options) -> list[dict]:
    data = take(form="csv", **options)
    assert data.startswith(b"\xef\xbb\xbf")
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def test_every_column_of_every_log_is_there(ann):
    decision = make_decision(ann)
    make_call(ann, decision=decision)
    (call,), (denied,) = lines(), lines(kind="decisions")
    assert tuple(call) == export_columns("calls")
    assert (call["decision_id"], call["elapsed_us"], call["captured"]) == (str(decision.pk), 42_000, False)
    assert (denied["id"], denied["allowed"]) == (str(decision.pk), True)


def test_exactly_the_filtered_rows_come_newest_first(ann, monkeypatch):
    monkeypatch.setattr(export, "CHUNK", 3)
    start = datetime(2026, 5, 1, tzinfo=UTC)
    for number in range(10):
        make_call(
            ann,
            tool=f"t{number}",
            at=start + timedelta(minutes=number),
            outcome="failed" if number % 2 else "succeeded",
        )
    filters = CallFilters(outcome="failed", since=start + timedelta(minutes=2), until=start + timedelta(minutes=9))
    assert [row["tool"] for row in lines(filters=filters)] == ["t7", "t5", "t3"]
    assert [row["tool"] for row in table(filters=CallFilters())] == [f"t{number}" for number in reversed(range(10))]


def test_a_person_gets_no_row_of_another(ann):
    make_call(make_user())
    assert lines(filters=CallFilters(owner_id=ann.pk)) == []


def test_columns_are_chosen_and_keep_their_order(ann):
    make_call(ann)
    assert take(form="csv", columns=["tool", "elapsed_us"]).decode("utf-8-sig") == (
        '"tool","elapsed_us"\r\n"notebook__search_notes",42000\r\n'
    )
    with pytest.raises(Refused):
        take(columns=["password"])


@pytest.mark.parametrize(
    ("moment", "told"),
    [
        (datetime(2026, 3, 29, 0, 59, 59, 999999, UTC), "2026-03-29T01:59:59.999999+01:00"),
        (datetime(2026, 3, 29, 1, 0, 0, 0, UTC), "2026-03-29T03:00:00.000000+02:00"),
        (datetime(2026, 10, 25, 0, 30, 0, 1, UTC), "2026-10-25T02:30:00.000001+02:00"),
        (datetime(2026, 10, 25, 1, 30, 0, 1, UTC), "2026-10-25T02:30:00.000001+01:00"),
    ],
)
@pytest.mark.parametrize("read", [lines, table])
def test_times_are_the_readers_own_on_both_sides_of_a_clock_change(ann, moment, told, read):
    make_call(ann, at=moment)
    (row,) = read(zone=BERLIN)
    assert row["started_at"] == told
    assert datetime.fromisoformat(row["started_at"]) == moment


FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1+1", "＋1", "－1", "＠SUM", "  =1", "\u200b=1",
            "\ufeff@x", "\u202e=1", "\u3000＝1", "\x00=1", '="a""b",=2']  # fmt: skip


@pytest.mark.parametrize("text", FORMULAS)
def test_a_text_that_begins_a_formula_is_guarded(text):
    assert guard_text(text).startswith("'") or guard_text(text)[0] == "\ufffd"


@pytest.mark.parametrize("text", ["", "plain", "a=b", "1-2", "中文", "'quoted'", "😀", "-" * 0, "مرحبا"])
def test_any_other_text_stays_as_it_is(text):
    assert guard_text(text) == text


def test_no_cell_of_a_file_begins_a_formula(ann):
    for formula in FORMULAS:
        make_call(ann, tool=formula.replace("\0", "x"), person_name=formula.replace("\0", "x"))
    rows = table()
    assert len(rows) == len(FORMULAS)
    for row in rows:
        for cell in (row["tool"], row["person_name"]):
            assert cell[0] in "'x"


ODD = "a,b\"c'd\r\nnew\u2028line 中文 😀 \u202egnirts\u202c \u0007bell ünïcödé \u0644\u0645"


def test_json_reads_back_to_exactly_what_was_there(ann):
    make_call(ann, tool=ODD)
    data = take()
    assert len(data.decode().split("\n")) == 2
    assert "\u202e" not in data.decode()
    assert json.loads(data)["tool"] == ODD


def test_csv_keeps_every_letter_and_shows_what_would_reorder_them(ann):
    make_call(ann, tool=ODD)
    (row,) = table()
    assert row["tool"] == ODD.replace("\u0007", "\ufffd").replace("\u202e", "\\u202e").replace("\u202c", "\\u202c")


def test_half_a_surrogate_pair_and_a_nul_end_no_file():
    assert guard_text("a\ud800b\0c") == "a\ufffdb\ufffdc"
    assert json.loads(write_json({"a": "\ud83d x \0"}, UTC_ZONE)) == {"a": "\ufffd x \0"}


def test_changes_of_events_are_objects_in_json_and_text_in_csv():
    take(filters=CallFilters(tool="=1"))
    (event,) = [row for row in lines(kind="events") if row["act"] == "log_exported"][-1:]
    assert event["after"]["filters"] == {"tool": "=1"}
    assert json.loads(table(kind="events")[-1]["after"])["format"] == "jsonl"


@pytest.mark.parametrize(("limit", "cut"), [(2, True), (3, False), (4, False)])
def test_a_file_that_was_cut_says_so(ann, limit, cut):
    for _ in range(3):
        make_call(ann)
    rows, spreadsheet = lines(limit=limit), table(limit=limit)
    assert (rows[-1] == {"cut_after_rows": limit}) is cut
    assert (spreadsheet[-1]["started_at"] == f"Cut after {limit} rows: there are more.") is cut
    assert len(rows) == len(spreadsheet) == min(limit, 3) + cut


def test_taking_a_log_out_is_an_event_before_the_first_byte():
    admin = make_administrator()
    pieces = export_rows(
        kind="decisions", filters=DecisionFilters(allowed=False), format="csv", zone=BERLIN, actor=admin, limit=5
    )
    event = AdminEvent.objects.get()
    assert (event.act, event.actor_id, event.target_name) == ("log_exported", admin.pk, "decisions")
    assert event.after == {"format": "csv", "zone": "Europe/Berlin", "limit": 5, "filters": {"allowed": "False"}}
    assert next(pieces)


def test_rows_that_are_written_meanwhile_stay_out(ann, monkeypatch):
    monkeypatch.setattr(export, "CHUNK", 2)
    monkeypatch.setattr(export, "ROWS_A_PIECE", 1)
    for _ in range(4):
        make_call(ann, tool="old")
    pieces = export_rows(kind="calls", filters=CallFilters(), format="jsonl", zone=UTC_ZONE, actor=None)
    first = next(pieces)
    make_call(ann, tool="new")
    tools = [json.loads(line)["tool"] for line in (first + b"".join(pieces)).splitlines()]
    assert tools == ["old"] * 4


def test_any_list_can_be_written_by_the_same_rules():
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    data = b"".join(write_csv_rows(["=name", "at"], [["-x", moment], [None, True], [1.5, 2]], zone=BERLIN))
    assert data.decode("utf-8-sig") == (
        '"\'=name","at"\r\n"\'-x","2026-01-01T01:00:00.000000+01:00"\r\n"","true"\r\n1.5,2\r\n'
    )
