"""A person begins as many attempts as they have tabs for; beyond that the oldest are over, and nothing of them is kept."""

import pytest
from django.db import transaction

from connectors.authorization.begin import begin_connecting
from connectors.authorization.cancelling import MOST_ATTEMPTS, bound_attempts, cancel_attempts
from connectors.authorization.models import AuthorizationSession
from tests.builders.oauth_accounts import make_oauth_connector
from tests.builders.people import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def connector():
    """Its package names every address, so that beginning asks nobody."""
    return make_oauth_connector("https://id.example.com", policy="multiple_per_user")


def begin(person, connector, times):
    for number in range(times):
        begin_connecting(person=person, connector=connector, browser="b", alias=f"a{number}")


def statuses(person):
    return list(
        AuthorizationSession.objects.filter(person=person).order_by("created_at").values_list("status", flat=True)
    )


def test_the_oldest_attempt_is_cancelled_and_what_it_kept_is_wiped(connector):
    ann, bob = make_user("ann"), make_user("bob")
    begin(bob, connector, 1)

    begin(ann, connector, MOST_ATTEMPTS + 2)

    assert statuses(ann) == ["cancelled"] * 2 + ["pending"] * MOST_ATTEMPTS
    kept = AuthorizationSession.objects.filter(person=ann).exclude(sealed=None)
    assert kept.count() == MOST_ATTEMPTS
    assert set(kept.values_list("status", flat=True)) == {"pending"}
    assert statuses(bob) == ["pending"]


def test_attempts_that_are_over_do_not_count(connector):
    ann = make_user("ann")
    begin(ann, connector, 2)
    AuthorizationSession.objects.update(status="done", sealed=None)

    begin(ann, connector, MOST_ATTEMPTS)

    assert statuses(ann) == ["done"] * 2 + ["pending"] * MOST_ATTEMPTS
    with transaction.atomic():
        assert bound_attempts(ann) == 0


def test_an_update_cancels_what_nobody_has_submitted(connector):
    ann = make_user("ann")
    begin(ann, connector, 2)
    AuthorizationSession.objects.filter(alias="a0").update(status="exchanging")

    with transaction.atomic():
        assert cancel_attempts(connector) == 1

    assert statuses(ann) == ["exchanging", "cancelled"]
    assert AuthorizationSession.objects.get(status="cancelled").sealed is None
