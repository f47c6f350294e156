"""A stretch of a chart leads to exactly the rows it counts, whatever the clocks of the reader's zone do."""

import re
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

import pytest
from django.urls import reverse

from tests.builders.logs import make_call
from tests.builders.people import make_auditor


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("zone", "change"),
    [
        ("America/New_York", datetime(2026, 11, 1, 6, tzinfo=UTC)),
        ("America/New_York", datetime(2026, 3, 8, 7, tzinfo=UTC)),
        ("Australia/Lord_Howe", datetime(2026, 4, 4, 15, tzinfo=UTC)),
        ("Asia/Kathmandu", datetime(2026, 4, 4, 18, 15, tzinfo=UTC)),
    ],
)
def test_every_stretch_leads_to_as_many_rows_as_it_counts_also_where_clocks_are_turned(client, zone, change):
    auditor = make_auditor(time_zone=zone)
    client.force_login(auditor)
    for minutes in range(-180, 180, 20):
        make_call(auditor, at=change + timedelta(minutes=minutes))
    ends = {name: f"{change + timedelta(hours=hours):%Y-%m-%dT%H:%M}" for name, hours in (("since", -4), ("until", 4))}
    url = f"{reverse('console:audit_calls')}?{urlencode({'range': 'custom', **ends, 'zone': 'UTC'})}"
    page = client.get(url, headers={"HX-Target": "log-charts"}).content.decode().split("</figure>")[0]
    stretches = re.findall(r'<a href="([^"]+)".*?data-label="Calls">(\d+)<', page, re.DOTALL)

    assert sum(int(count) for _link, count in stretches) == 18
    for link, count in stretches:
        shown = client.get(link.replace("&amp;", "&")).content.decode()
        assert shown.count('data-key="') == int(count), link
