"""Saved views: a name for filters and columns, one's own or shared; sharing is an administrative event."""

import pytest
from django.urls import reverse

from connectors.audit.models import AdminEvent, SavedView
from connectors.audit.saved_views import MOST_OF_ONE
from tests.builders.people import make_auditor, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def audrey(client):
    person = make_auditor("audrey")
    client.force_login(person)
    return person


def save(client, log="calls", **data):
    return client.post(reverse("console:view_save", args=[log]), {"name": "Failures", **data})


def test_a_view_keeps_the_filters_and_columns_as_the_form_reads_them(client, audrey):
    answer = save(client, query="tool=note&columns=tool&columns=trace&after=x&evil=<script>&outcome=failed")

    assert SavedView.objects.get().query == "tool=note&outcome=failed&columns=tool,trace"
    assert answer.url == reverse("console:audit_calls") + "?tool=note&outcome=failed&columns=tool,trace"


def test_a_saved_view_is_offered_and_marked_where_it_is_current(client, audrey):
    save(client, query="outcome=failed")

    page = client.get(reverse("console:audit_calls") + "?outcome=failed").content.decode()

    assert 'aria-current="true"' in page
    assert 'aria-current="true"' not in client.get(reverse("console:audit_calls") + "?outcome=unknown").content.decode()


def test_a_name_is_one_view_and_saving_it_again_replaces_it(client, audrey):
    save(client, query="outcome=failed")
    save(client, query="outcome=unknown")

    assert SavedView.objects.get().query == "outcome=unknown"


def test_a_private_view_is_nobody_elses_and_leaves_no_event(client, audrey):
    save(client, query="outcome=failed")
    client.force_login(make_auditor())

    assert "Failures" not in client.get(reverse("console:audit_calls")).content.decode()
    assert not AdminEvent.objects.filter(target_kind="saved_view").exists()


def test_a_shared_view_is_offered_to_who_may_read_the_log_and_leaves_an_event(client, audrey):
    save(client, query="outcome=failed", shared="on")
    client.force_login(make_auditor())
    page = client.get(reverse("console:audit_calls")).content.decode()

    assert "Failures" in page
    assert "Shared by audrey" in page
    assert reverse("console:view_delete", args=[SavedView.objects.get().pk]) not in page
    assert AdminEvent.objects.get(act="view_shared").after == {"log": "calls", "query": "outcome=failed"}


def test_only_its_owner_deletes_a_view_and_unsharing_leaves_an_event(client, audrey):
    save(client, shared="on")
    view = SavedView.objects.get()
    client.force_login(make_auditor())
    assert client.post(reverse("console:view_delete", args=[view.pk])).status_code == 404
    client.force_login(audrey)
    client.post(reverse("console:view_delete", args=[view.pk]))

    assert not SavedView.objects.exists()
    assert AdminEvent.objects.get(act="view_unshared").target_id == str(view.pk)


def test_its_owner_renames_a_view_and_nobody_else_does(client, audrey):
    save(client, query="outcome=failed", shared="on")
    save(client, name="Other")
    view = SavedView.objects.get(name="Failures")
    rename = reverse("console:view_rename", args=[view.pk])
    assert rename in client.get(reverse("console:audit_calls") + "?outcome=failed").content.decode()
    assert client.post(rename, {"name": "Other"}).status_code == 409
    assert client.post(rename, {"name": " "}).status_code == 302
    answer = client.post(rename, {"name": "What failed"})
    client.force_login(make_auditor())
    assert client.post(rename, {"name": "Mine"}).status_code == 404

    view.refresh_from_db()
    assert (view.name, view.query, view.shared) == ("What failed", "outcome=failed", True)
    assert answer.url.endswith("?outcome=failed")
    assert AdminEvent.objects.get(act="view_renamed").before == {"name": "Failures"}


def test_views_of_ones_own_log_are_never_shared(client):
    client.force_login(make_user())
    save(client, log="my_calls", shared="on")

    assert SavedView.objects.get().shared is False


@pytest.mark.parametrize(
    ("data", "status"), [({"name": ""}, 302), ({"name": "x" * 81}, 302), ({"query": "a" * 3000}, 302)]
)
def test_a_view_without_a_name_or_beyond_bounds_is_refused(client, audrey, data, status):
    assert save(client, **data).status_code == status
    assert not SavedView.objects.exists()


def test_one_person_keeps_a_bounded_number_of_views(client, audrey):
    SavedView.objects.bulk_create(
        SavedView(owner=audrey, log="calls", name=str(number)) for number in range(MOST_OF_ONE)
    )

    assert save(client).status_code == 409


def test_a_log_that_is_none_does_not_exist(client, audrey):
    assert save(client, log="secrets").status_code == 404
