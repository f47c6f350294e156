"""Events put into the log where the chain has no place for them: before its first, and among those retention took."""

from datetime import UTC, datetime

import pytest
from django.db import transaction

from connectors.audit.chain import ChainFault, verify_chain
from connectors.audit.checks import check_chain
from connectors.audit.heads import set_down_head
from connectors.audit.models import AdminEvent, ChainHead, ChainTip
from connectors.audit.recording import record_admin_event
from connectors.audit.segments import remove_old_events

pytestmark = pytest.mark.django_db
EVERYTHING = datetime(2100, 1, 1, tzinfo=UTC)


def write(count: int) -> None:
    with transaction.atomic():
        for number in range(count):
            record_admin_event(actor=None, act="tried", target_kind="test", target_id=number, target_name="it")


@pytest.mark.parametrize("sequence", [0, 2])
def test_an_event_put_where_nobody_walks_is_named(sequence):
    write(3)
    set_down_head()
    remove_old_events(before=EVERYTHING)
    write(2)
    forged = AdminEvent.objects.create(
        at=EVERYTHING, act="forged", sequence=sequence, previous_hash="f" * 64, hash="a" * 64
    )
    assert verify_chain().first_fault == ChainFault("inserted", sequence, forged.pk)


def test_an_event_before_the_first_is_named():
    write(2)
    forged = AdminEvent.objects.create(at=EVERYTHING, act="forged", sequence=0, previous_hash="f" * 64)
    assert verify_chain().first_fault == ChainFault("inserted", 0, forged.pk)


@pytest.mark.parametrize("left", [0, 2])
def test_a_log_that_was_emptied_heads_and_all_is_not_taken_for_a_new_one(left):
    write(3)
    check_chain()
    for table in (AdminEvent, ChainHead, ChainTip):
        table.objects.all().delete()
    write(left)
    assert verify_chain().first_fault == ChainFault("restored", 3)
