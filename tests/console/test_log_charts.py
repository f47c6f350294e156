"""Charts: drawn by attributes and classes only, told as a table too, and true to the calls they are about."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from connectors.console.rendering.charts import Chart, Line, draw_share, round_up
from tests.builders.connectors import make_connection, make_connector
from tests.builders.logs import make_call
from tests.builders.people import make_user


def chart(*values, **changed):
    marks = [f"mark {number}" for number in range(len(values[0]))]
    lines = [Line(name=f"line {number}", tone="accent", values=row) for number, row in enumerate(values)]
    return Chart(
        **{"title": "Calls", "marks": marks, "edges": marks, "lines": lines, "tell": lambda n: f"{n:g}", **changed}
    )


@pytest.mark.parametrize(
    ("value", "top"), [(0, 1), (1, 1), (1.2, 2), (3, 4), (5, 6), (7, 8), (10, 10), (11, 20), (450, 600), (8001, 10000)]
)
def test_a_scale_ends_at_the_next_round_number(value, top):
    assert round_up(value) == top


@pytest.mark.parametrize("highest", [1, 3, 5, 9, 45, 450])
def test_the_number_at_half_height_is_half_the_one_at_the_top(highest):
    top, middle, nought = chart([highest]).scale

    assert (int(middle) * 2, nought) == (int(top), "0")


def test_each_mark_is_one_place_with_its_numbers_and_bars_as_tall_as_they_are():
    drawn = chart([10, 0, 5], [1, 0, 5]).plot

    assert drawn.count('class="place"') == 3
    assert re.findall(r'class="fill-accent"[^>]*height="([\d.]+)"', drawn) == ["160.00", "16.00", "80.00", "80.00"]
    assert "<title>mark 0\nline 0: 10\nline 1: 1</title>" in drawn


def test_a_line_has_gaps_where_nothing_is_known_and_a_point_alone_is_wide_enough_to_be_seen():
    drawn = chart([4, None, 2, 2], bars=False).plot

    path = re.search(r'class="line line-accent" d="([^"]+)"', drawn)[1]
    assert path.count("M") == 2
    assert path.startswith("M125.00 0.00m-62.50 0h125.00M")


def test_the_same_numbers_stand_in_a_table():
    assert chart([4, None], [1, 0]).rows == [
        ("mark 0", [("line 0", "4"), ("line 1", "1")], ""),
        ("mark 1", [("line 0", "—"), ("line 1", "0")], ""),
    ]


def test_nothing_in_a_chart_styles_inline_or_escapes():
    drawn = chart([1], title='"><script>').plot + draw_share(3, 4)

    assert "style=" not in drawn
    assert "<script>" not in drawn
    assert 'width="75.0"' in drawn


def charts(client, query="", part="log-charts"):
    url = f"{reverse('console:audit_calls')}?{query}"
    return client.get(url, headers={"HX-Target": part, "HX-Request": "true"}).content.decode()


def table(page):
    """The sums of the columns of the first chart's table."""
    cells = re.findall(r'<td class="number" data-label="([^"]+)">([\d,]+)</td>', page.split("</figure>")[0])
    names = dict.fromkeys(name for name, _ in cells)
    return {name: sum(int(number.replace(",", "")) for own, number in cells if own == name) for name in names}


@pytest.mark.django_db
def test_the_charts_count_the_calls_that_the_filters_leave(client, auditor):
    ledger = make_connection(make_user(), make_connector("ledger"))
    for days in range(5):
        make_call(ledger.person, connection=ledger, at=timezone.now() - timedelta(days=days))
    make_call(auditor, outcome="failed", at=timezone.now() - timedelta(days=2))

    assert table(charts(client)) == {"Calls": 6, "Did not succeed": 1}
    assert table(charts(client, "connector=ledger")) == {"Calls": 5, "Did not succeed": 0}
    assert table(charts(client, "range=7d&outcome=failed")) == {"Calls": 1, "Did not succeed": 1}


@pytest.mark.django_db
def test_the_page_says_what_its_charts_cannot_tell_apart_and_what_time_they_cover(client, auditor):
    make_call(auditor, trace_id="feed", remote_address="192.0.2.1")
    page = charts(client, "trace=feed&address=192.0.2.1&outcome=succeeded")

    assert "last 30 days" in page
    assert re.search(r"not narrowed by:\s+From address, Trace\.", page)
    assert "not narrowed" not in charts(client, "outcome=succeeded")
    assert "whole hours" in charts(client, "range=15m")


@pytest.mark.django_db
def test_a_stretch_of_a_chart_leads_to_its_rows(client, auditor):
    make_call(auditor, tool="now")
    page = charts(client, "range=24h")
    link = re.findall(r'<th scope="row"><a href="([^"]+)"', page)[-1].replace("&amp;", "&")

    assert 'data-key="' in client.get(link).content.decode()


@pytest.mark.django_db
def test_what_was_used_most_leads_to_the_log_of_it_alone(client, auditor):
    ledger, wiki = (make_connection(make_user(), make_connector(key)) for key in ("ledger", "wiki"))
    for connection, count in ((ledger, 3), (wiki, 1)):
        for _ in range(count):
            make_call(connection.person, connection=connection, upstream_tool=f"find_{connection.connector.key}")
    make_call(
        ledger.person, connection=ledger, outcome="failed", error_code="rate_limited", upstream_tool="find_ledger"
    )
    page = charts(client, "range=7d", part="log-tops")

    tools = page.split("<caption>Tools</caption>")[1].split("</table>")[0]
    assert re.findall(r'<th scope="row">\s*<a href="[^"]+">([^<]+)<', tools) == ["find_ledger", "find_wiki"]
    assert "?range=7d&amp;connector=ledger&amp;tool=find_ledger" in tools
    assert "error=rate_limited" in page


@pytest.mark.django_db
def test_without_a_script_the_charts_come_with_the_page(client, auditor):
    make_call(auditor)
    url = reverse("console:audit_calls")

    assert "charts=1" in client.get(url).content.decode()
    assert 'class="plot"' in client.get(f"{url}?charts=1").content.decode()
