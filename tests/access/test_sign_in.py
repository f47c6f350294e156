"""A one-time link signs in once, for a while, whom it was made for."""

import threading
from datetime import timedelta

import pytest
from django.db import close_old_connections, connections
from django.utils import timezone

from connectors.access.models import SignInLink
from connectors.access.sign_in import make_sign_in_link, redeem_sign_in_link, sweep_sign_in_links
from connectors.audit.models import AdminEvent
from connectors.errors import Refused
from tests.builders.people import make_user

HOUR = timedelta(hours=1)


@pytest.mark.django_db
def test_a_link_signs_in_whom_it_was_made_for_and_only_once():
    person = make_user()
    text = make_sign_in_link(user=person, lifetime=HOUR)
    assert redeem_sign_in_link(token=text) == person
    with pytest.raises(Refused, match="sign_in_link_invalid"):
        redeem_sign_in_link(token=text)


@pytest.mark.django_db
def test_only_the_digest_of_a_link_is_kept():
    text = make_sign_in_link(user=make_user(), lifetime=HOUR)
    assert text not in str(SignInLink.objects.values()) + str(AdminEvent.objects.values())


@pytest.mark.django_db
def test_an_expired_or_unknown_link_signs_in_nobody():
    text = make_sign_in_link(user=make_user(), lifetime=timedelta(0))
    for wrong in (text, "something else"):
        with pytest.raises(Refused, match="sign_in_link_invalid"):
            redeem_sign_in_link(token=wrong)


@pytest.mark.django_db
def test_a_deactivated_person_is_not_signed_in():
    person = make_user()
    text = make_sign_in_link(user=person, lifetime=HOUR)
    person.is_active = False
    person.save()
    with pytest.raises(Refused, match="sign_in_link_invalid"):
        redeem_sign_in_link(token=text)
    with pytest.raises(Refused, match="person_inactive"):
        make_sign_in_link(user=person, lifetime=HOUR)


@pytest.mark.django_db
def test_a_sweep_removes_used_and_expired_links_only():
    person = make_user()
    redeem_sign_in_link(token=make_sign_in_link(user=person, lifetime=HOUR))
    make_sign_in_link(user=person, lifetime=timedelta(0))
    good = make_sign_in_link(user=person, lifetime=HOUR)
    assert sweep_sign_in_links() == 2
    assert SignInLink.objects.get().expires_at > timezone.now()
    assert redeem_sign_in_link(token=good) == person


@pytest.mark.django_db(transaction=True)
def test_of_many_requests_at_once_one_is_signed_in():
    text = make_sign_in_link(user=make_user(), lifetime=HOUR)
    outcomes, start = [], threading.Barrier(8)

    def redeem():
        start.wait()
        try:
            redeem_sign_in_link(token=text)
            outcomes.append("in")
        except Refused:
            outcomes.append("refused")
        finally:
            close_old_connections()
            connections.close_all()

    threads = [threading.Thread(target=redeem) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["in"] + ["refused"] * 7
