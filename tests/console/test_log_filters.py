"""Filters of the logs: they live in the URL, mean the same to whoever opens the link, and are told as chips."""

import re
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs
from uuid import UUID

import pytest
from django.http import QueryDict
from django.urls import reverse
from django.utils import timezone

from connectors.audit.export import export_columns
from connectors.console.logs.addresses import clean_query
from connectors.console.logs.chips import tell_filters
from connectors.console.logs.kinds import ALL_CALLS, LOGS, MY_CALLS
from tests.builders.connectors import make_connection, make_connector
from tests.builders.logs import make_call, make_decision
from tests.builders.people import make_user

pytestmark = pytest.mark.django_db


def tools(client, query, route="audit_calls"):
    page = client.get(f"{reverse(f'console:{route}')}?{query}").content.decode()
    return re.findall(r'<a class="mono"[^>]*>([^<]+)</a>', page)


def period(query, zone="UTC"):
    with timezone.override(zone):
        form = ALL_CALLS.make_form(QueryDict(query))
    assert not form.errors, form.errors
    return form.period()["since"], form.period()["until"]


@pytest.mark.parametrize("log", LOGS.values(), ids=LOGS)
def test_every_column_of_a_record_is_told_by_some_field(log):
    told = {name for field in log.source.fields for name in field.names}
    assert told == set(export_columns(log.source.kind))


@pytest.mark.parametrize("log", LOGS.values(), ids=LOGS)
def test_no_two_fields_of_a_log_have_one_key(log):
    keys = [field.key for field in log.source.fields]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize(
    "query",
    [
        "text=weather",
        "effect=write",
        "origin=scheduled",
        "version=2.0.0",
        "alias=work",
        "address=192.0.2.99",
        "trace=feed",
        "error=rate_limited",
        "server=mcp.example.com:443",
        "slower=500",
        "retries=2",
        "place=eu",
        "credential=…47CEE9",
        "arguments=" + "c" * 64,
        "result=" + "d" * 64,
        "kept=yes",
        "range=15m",
    ],
)
def test_each_filter_leaves_the_one_row_it_is_about(client, auditor, query):
    ann = make_user("ann")
    hour = timezone.now() - timedelta(hours=1)
    make_call(ann, tool="plain", upstream_tool="plain", at=hour)
    connection = make_connection(ann, make_connector("ledger"), alias="work")
    make_call(
        ann,
        connection=connection,
        tool="ledger__weather",
        upstream_tool="weather",
        effect="write",
        origin="scheduled",
        package_version="2.0.0",
        remote_address="192.0.2.99",
        trace_id="feed",
        error_code="rate_limited",
        outcome="failed",
        server_address="mcp.example.com:443",
        elapsed_us=900_000,
        retries=2,
        server="eu",
        credential_fingerprint="47cee9",
        arguments_digest="c" * 64,
        result_digest="d" * 64,
        captured=True,
    )

    assert tools(client, query) == ["weather"]


def test_a_link_between_two_moments_means_the_same_rows_in_any_zone(client, auditor):
    make_call(make_user(), tool="early", at=datetime(2026, 3, 1, 16, 30, tzinfo=UTC))
    link = "range=custom&since=2026-03-02T00:00&until=2026-03-02T01:00&zone=Asia/Shanghai"
    seen = []
    for zone in ("UTC", "America/New_York", "Asia/Shanghai"):
        auditor.time_zone = zone
        auditor.save()
        seen.append(tools(client, link))

    assert seen == [["early"]] * 3


def test_an_hour_that_the_clocks_show_twice_is_read_in_its_wider_sense():
    since, until = period("range=custom&since=2026-10-25T02:30&until=2026-10-25T02:31", "Europe/Berlin")

    assert since == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)  # the first 02:30, still summer
    assert until == datetime(2026, 10, 25, 1, 31, tzinfo=UTC)  # the second 02:31


def test_a_time_that_the_clocks_never_show_is_no_error():
    since, until = period("range=custom&since=2026-03-29T02:30&until=2026-03-29T02:45", "Europe/Berlin")

    assert since == datetime(2026, 3, 29, 0, 30, tzinfo=UTC)
    assert until == datetime(2026, 3, 29, 1, 45, tzinfo=UTC)


def test_a_day_of_twenty_five_hours_is_all_in_its_range():
    since, until = period("range=custom&since=2026-10-25T00:00&until=2026-10-26T00:00", "Europe/Berlin")

    assert until - since == timedelta(hours=25)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("range=custom&since=yesterday", "since"),
        ("range=custom&since=2026-03-01T00:00%2B02:00", "since"),
        ("range=custom&since=0001-01-01T00:00", "since"),
        ("range=custom&since=2026-03-02T00:00&until=2026-03-01T00:00", "until"),
        ("range=custom&since=2026-03-02T00:00&zone=Mars/Olympus", "zone"),
        ("run=not-a-key", "run"),
        ("slower=fast", "slower"),
    ],
)
def test_a_filter_that_cannot_be_read_is_told_and_never_exported(client, auditor, query, field):
    make_call(make_user())

    assert field in ALL_CALLS.make_form(QueryDict(query)).errors
    assert client.get(f"{reverse('console:audit_calls')}?{query}").status_code == 200
    assert client.get(f"{reverse('console:log_export', args=['calls'])}?{query}").status_code == 400


def test_a_filter_there_is_no_more_is_told_and_nothing_else_is(client, auditor):
    def left_out(query):
        page = client.get(f"{reverse('console:audit_calls')}?{query}").content.decode()
        told = re.search(r"These filters were left out[^<]*(.*?)\.\s*</p>", page, re.DOTALL)
        return re.findall(r"<code>([^<]+)</code>", told[1]) if told else []

    assert left_out("outcom=failed&tool=a&_scope=%3Cb%3E") == ["outcom", "_scope"]
    assert left_out(f"tool=a&after={UUID(int=1)}&charts=1&columns=tool,when&zone=UTC") == []
    assert left_out("") == []


def test_chips_tell_what_narrows_and_lead_to_the_page_without_it():
    form = ALL_CALLS.make_form(
        QueryDict("range=7d&outcome=failed&tool=note&after=01900000-0000-7000-8000-000000000000")
    )
    query = clean_query(ALL_CALLS, form)
    chips = {str(chip.name): (chip.value, parse_qs(chip.query)) for chip in tell_filters(form, query)}

    assert chips["Outcome"] == ("Failed", {"range": ["7d"], "tool": ["note"]})
    assert chips["Time"] == ("Last 7 days", {"outcome": ["failed"], "tool": ["note"]})
    assert set(chips) == {"Time", "Outcome", "Tool"}


def test_a_stretch_is_one_chip_that_names_its_zone():
    form = ALL_CALLS.make_form(QueryDict("range=custom&since=2026-03-01T00:00&zone=Asia/Shanghai&tool=a"))
    chip = tell_filters(form, clean_query(ALL_CALLS, form))[0]

    assert chip.value == "2026-03-01 00:00 to …, Asia/Shanghai"
    assert chip.query == "tool=a"


def test_a_link_holds_what_the_form_read_and_nothing_else():
    given = "tool=a&person=&columns=tool&columns=trace&columns=bogus&after=x&evil=1&outcome=nonsense&zone=UTC&range=1h&since=x"

    assert clean_query(ALL_CALLS, ALL_CALLS.make_form(QueryDict(given))) == "range=1h&tool=a&columns=tool,trace"


def test_chosen_columns_show_and_paging_keeps_them(client, auditor):
    for _ in range(51):
        make_call(auditor, trace_id="feed")
    page = client.get(reverse("console:audit_calls") + "?columns=tool,trace").content.decode()

    assert re.findall(r'<th scope="col"[^>]*>([^<]+)<', page.split('id="rows"')[0])[-2:] == ["Tool", "Trace"]
    assert re.search(
        r'rel="next"\s+href="\?columns=tool,trace&amp;after=|rel="next"\s+href="\?columns=tool%2Ctrace', page
    )


def test_who_reads_only_their_own_log_is_not_offered_other_people(client):
    assert "person" not in MY_CALLS.make_form(QueryDict("person=bob")).fields
    assert "who" not in dict(MY_CALLS.choices)


@pytest.mark.parametrize(
    ("typed", "found"), [("Ann", ["ann"]), ("ann miller", ["ann"]), ("ann m", ["ann"]), ("hann", ["hannah"])]
)
def test_a_person_is_found_by_a_whole_name_or_else_by_a_part_of_one(client, auditor, typed, found):
    for name, shown in (("ann", "Ann Miller"), ("hannah", "Hannah Weiss")):
        make_call(make_user(name, display_name=shown), tool=name)

    assert tools(client, f"person={typed}") == found


def test_a_part_of_a_rule_finds_decisions(client, auditor):
    make_decision(auditor, tool="a")
    make_decision(auditor, tool="b", allowed=False, rule="grant_read_only")

    assert tools(client, "text=read_only", route="audit_decisions") == ["b"]


def test_the_page_says_how_it_is_sorted_and_whose_times_it_shows(client, auditor):
    auditor.time_zone = "Asia/Shanghai"
    auditor.save()
    page = client.get(reverse("console:audit_calls")).content.decode()

    assert "Newest first" in page
    assert "Times in Asia/Shanghai" in page


def test_a_list_that_is_whole_says_how_long_it_is_and_a_longer_one_is_counted_when_asked(client, auditor):
    for _ in range(3):
        make_call(auditor)
    url = reverse("console:audit_calls")

    assert "3 rows" in client.get(url).content.decode()
    assert client.get(url, headers={"HX-Target": "log-count"}).content == b"3 rows"
