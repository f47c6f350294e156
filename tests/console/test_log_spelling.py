"""Names that agents made up, as the logs show them: nothing invisible, nothing that reads backwards."""

import re
import uuid

import pytest
from django.urls import reverse

from connectors.console.rendering.spelling import spell
from tests.builders.logs import make_decision
from tests.builders.people import make_user

pytestmark = pytest.mark.django_db
BACKWARDS = "notes__\u202eetirw"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("查询天气", "查询天气"),
        ("\u05e9\u05dc\u05d5\u05dd", "\u05e9\u05dc\u05d5\u05dd"),
        (BACKWARDS, "notes__\\u202eetirw"),
        ("a\tb\n", "a\\tb\\n"),
        ("  ", "“  ”"),
        ("a\u200b ", "“a\\u200b ”"),
        ("", ""),
    ],
)
def test_what_cannot_be_seen_is_spelled_out(name, told):
    assert spell(name) == told


@pytest.mark.parametrize("route", ["my_decisions", "decision", "run"])
def test_no_page_of_a_log_can_be_made_to_read_backwards(client, route):
    ann = make_user("ann")
    client.force_login(ann)
    decision = make_decision(ann, allowed=False, tool=BACKWARDS, upstream_tool="", run_id=uuid.uuid4())
    keys = {"decision": [decision.pk], "run": [decision.run_id]}.get(route, [])
    page = client.get(reverse(f"console:{route}", args=keys)).content.decode()

    assert "\u202e" not in page
    assert re.search(r"notes__\\u202eetirw</a>|<h1[^>]*>notes__\\u202eetirw", page)
