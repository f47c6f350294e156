"""What people write freely: nothing in it that nobody can see, and its characters counted one way, on both databases."""

import re
from urllib.parse import urlencode

import pytest
from django.urls import reverse

from connectors.access.models import User
from connectors.audit.models import SavedView
from connectors.console.logs.addresses import MOST_CHARACTERS
from connectors.errors import Fault
from connectors.ledger.models import Disposition, LedgerEntry, ReviewLine
from connectors.manifest.free_text import text_faults
from tests.builders.connectors import make_connector
from tests.builders.people import make_administrator

pytestmark = pytest.mark.django_db
UNSEEN = ["a\0b", "a\x1b[2Jb", "a\x85b", "safe\u202egnp.exe"]
TOLD = "There are characters in it that nobody can see."
EMOJI = "\U0001f600"


@pytest.fixture
def admin(client):
    make_connector("notes")
    client.force_login(make_administrator("ada"))
    return client


@pytest.fixture(params=UNSEEN, ids=ascii)
def unseen(request):
    return request.param


def test_an_entry_and_its_checklist_are_refused_beside_the_field(admin, unseen):
    entry = {"revision": 0, "purpose": unseen, "owner": "", "source": unseen}
    answer = admin.post("/connectors/notes/ledger/entry/", entry)
    assert (answer.status_code, answer.text.count(TOLD) >= 2) == (422, True)
    answer = admin.post("/connectors/notes/ledger/checklist/", {"revision": 0, "note": unseen})
    assert (answer.status_code, TOLD in answer.text) == (422, True)
    assert not LedgerEntry.objects.exists()


def test_a_disposition_is_refused_beside_its_reason(admin, unseen):
    answer = admin.post("/connectors/notes/ledger/disposition/", {"verdict": "keep", "reason": unseen})
    assert (answer.status_code, TOLD in answer.text) == (422, True)
    assert not Disposition.objects.exists()


@pytest.mark.parametrize("word", ["keep", "skipped"])
def test_an_answer_in_a_review_is_refused(admin, unseen, word):
    walk = admin.post("/reviews/", {"scope": "all"}).url
    address = admin.get(walk, follow=True).redirect_chain[-1][0]
    revision = re.search(r'name="revision" value="(\d+)"', admin.get(address).text).group(1)
    answer = admin.post(address, {"answer": word, "reason": unseen, "revision": revision})
    assert (answer.status_code, TOLD in answer.text) == (422, True)
    assert ReviewLine.objects.get().answer == ""


def test_a_persons_own_name_is_refused(admin, unseen):
    answer = admin.post(reverse("console:preferences"), {"display_name": unseen})
    assert TOLD in answer.text
    assert User.objects.get(username="ada").display_name == ""


def save(client, **data):
    return client.post(reverse("console:view_save", args=["calls"]), {"name": "Failures", **data}, follow=True)


def test_a_views_name_is_refused(admin, unseen):
    assert TOLD in save(admin, name=unseen).text
    assert not SavedView.objects.exists()


def test_several_lines_are_fine_where_there_is_room_for_them(admin):
    entry = {"revision": 0, "purpose": "first\r\nsecond\tcolumn", "owner": "", "source": "one line"}
    assert admin.post("/connectors/notes/ledger/entry/", entry).status_code == 302
    entry |= {"revision": 1, "source": "two\nlines"}
    assert TOLD in admin.post("/connectors/notes/ledger/entry/", entry).text


def test_characters_are_counted_as_people_see_them(admin):
    save(admin, name=EMOJI * 80, query=urlencode({"text": EMOJI * 200}))
    view = SavedView.objects.get()
    assert view.name == EMOJI * 80
    assert len(view.query) > MOST_CHARACTERS
    assert EMOJI * 200 in admin.get(f"{reverse('console:audit_calls')}?{view.query}").text
    assert (
        admin.post(
            "/connectors/notes/ledger/entry/", {"revision": 0, "purpose": EMOJI * 500, "owner": "", "source": ""}
        ).status_code
        == 302
    )


def test_filters_that_are_too_long_to_keep_are_refused_with_the_limit(admin):
    page = save(admin, query=urlencode({"text": EMOJI * MOST_CHARACTERS}))
    assert "These filters are too long to keep: at most 2000 characters." in page.text
    assert not SavedView.objects.exists()


def test_every_fault_of_a_text_is_named():
    assert text_faults("note", "ab\0", longest=2) == [
        Fault("value_too_long", "note", {"limit": 2, "length": 3}),
        Fault("text_unshowable", "note"),
    ]
    assert text_faults("note", "line\n\tnext", longest=10) == []
