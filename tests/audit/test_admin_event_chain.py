"""The chain of admin events: written link by link, and every way of tampering is named where it begins."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import transaction

from connectors.audit.chain import ChainFault, verify_chain
from connectors.audit.checks import check_chain, last_check
from connectors.audit.heads import export_head, read_head, renew_signatures, set_down_head
from connectors.audit.links import BEGINNING, MAX_SIDE_BYTES, canonical_json, hash_link
from connectors.audit.models import AdminEvent, ChainHead, ChainSegment, ChainTip
from connectors.audit.recording import record_admin_event
from connectors.audit.segments import remove_old_events
from connectors.errors import Refused
from connectors.vault.key_ring import make_key_text

pytestmark = pytest.mark.django_db
EVERYTHING = datetime(2100, 1, 1, tzinfo=UTC)


def write(count: int = 1, **more) -> list[AdminEvent]:
    with transaction.atomic():
        return [
            record_admin_event(
                actor=None, act="tried", target_kind="test", target_id=number, target_name=f"Number {number}", **more
            )
            for number in range(count)
        ]


def at(sequence: int):
    return AdminEvent.objects.filter(sequence=sequence)


def fault(**more) -> tuple[str, int] | None:
    found = verify_chain(**more).first_fault
    return (found.code, found.sequence) if found else None


def test_each_event_carries_the_hash_before_it():
    first, second = write(2)
    assert (first.sequence, first.previous_hash) == (1, BEGINNING)
    assert (second.sequence, second.previous_hash) == (2, first.hash)
    tip = ChainTip.objects.get()
    assert (tip.sequence, tip.hash) == (2, second.hash)


def test_a_chain_that_was_left_alone_is_right():
    write(3)
    set_down_head()
    write(2)
    report = verify_chain()
    assert (report.ok, report.checked, report.head_sequence) == (True, 5, 5)


def test_an_empty_chain_is_right():
    assert verify_chain().ok
    assert set_down_head() is None
    assert export_head() is None


def test_what_is_read_back_gives_the_hash_that_was_written():
    odd = {
        "number": 1.5, "large": 2**70, "text": "中文 \x00 \ud800 \U0001f600 \u202e", "none": None, "yes": True,
        "moment": datetime(2026, 3, 1, tzinfo=UTC), "nested": {"a": [1, (2, {3})]}, 7: "key",
    }  # fmt: skip
    write(before=odd, after=odd)
    event = AdminEvent.objects.get()
    assert hash_link(event) == event.hash
    assert event.before["text"] == "中文 \ufffd \ufffd \U0001f600 \u202e"
    assert event.before["large"] == str(2**70)


def test_a_moment_is_hashed_to_the_microsecond():
    (event,) = write()
    moved = at(1).get()
    moved.at += timedelta(microseconds=1)
    assert hash_link(moved) != event.hash


def test_the_canonical_form_is_plain_json_with_sorted_keys():
    assert canonical_json({"b": "é", "a": [1, None]}) == b'{"a":[1,null],"b":"\\u00e9"}'


@pytest.mark.parametrize(
    "change",
    [
        {"actor_name": "somebody else"}, {"after": {"role": "x"}}, {"at": datetime(2020, 1, 1, tzinfo=UTC)},
        {"remote_address": "192.0.2.1"}, {"hash": "0" * 64}, {"target_id": "9"}, {"previous_hash": "f" * 64},
    ],
    ids=lambda change: next(iter(change)),
)  # fmt: skip
def test_an_altered_row_is_named(change):
    events = write(4)
    at(3).update(**change)
    assert verify_chain().first_fault == ChainFault("altered", 3, events[2].pk)


def test_a_removed_row_is_named():
    write(4)
    at(2).delete()
    assert fault() == ("removed", 2)


def test_the_first_rows_cannot_go():
    write(4)
    AdminEvent.objects.filter(sequence__lte=2).delete()
    assert fault() == ("removed", 1)


def test_rows_that_changed_places_are_named():
    events = write(5)
    at(2).update(sequence=99)
    at(3).update(sequence=2)
    at(99).update(sequence=3)
    assert verify_chain().first_fault == ChainFault("reordered", 2, events[2].pk)


def test_a_row_that_was_moved_away_is_named():
    events = write(4)
    at(2).update(sequence=50)
    assert verify_chain().first_fault == ChainFault("reordered", 2, events[1].pk)


@pytest.mark.parametrize("lost", [1, 3])
def test_the_newest_rows_cannot_go(lost):
    write(4)
    AdminEvent.objects.filter(sequence__gt=4 - lost).delete()
    assert fault() == ("truncated", 5 - lost)


def test_not_even_together_with_the_tip():
    write(4)
    at(4).delete()
    ChainTip.objects.all().delete()
    assert fault() == ("truncated", 4)


def test_after_rows_were_cut_off_the_gap_stays():
    write(4)
    at(4).delete()
    write()
    assert fault() == ("removed", 4)


def test_a_tip_that_was_moved_back_is_not_ours():
    write(4)
    third = at(3).get()
    at(4).delete()
    ChainTip.objects.update(sequence=3, hash=third.hash)
    assert fault() == ("signature", 3)


def test_a_row_beyond_the_tip_is_named():
    write(2)
    stray = at(2).get()
    stray.pk, stray.sequence, stray.previous_hash = None, 3, stray.hash
    stray.id = type(stray)._meta.pk.get_default()
    stray.hash = hash_link(stray)
    stray.save(force_insert=True)
    assert verify_chain().first_fault == ChainFault("inserted", 3, stray.pk)


def test_a_row_without_a_place_is_named_when_the_chain_had_begun():
    (event,) = write()
    stray = AdminEvent.objects.create(
        at=event.at, actor_name="x", act="x", target_kind="x", target_id="", target_name=""
    )
    assert verify_chain().first_fault == ChainFault("inserted", 0, stray.pk)


def test_events_of_before_the_chain_are_stated():
    AdminEvent.objects.create(
        at=datetime(2020, 1, 1, tzinfo=UTC), actor_name="x", act="x", target_kind="x", target_id="", target_name=""
    )
    write()
    report = verify_chain()
    assert (report.ok, report.checked, report.unchained) == (True, 1, 1)


def rewrite(sequence: int, **change) -> None:
    """What somebody with the database, and without the vault's keys, can do: alter a row and all hashes after it."""
    at(sequence).update(**change)
    previous = at(sequence - 1).get().hash if sequence > 1 else BEGINNING
    for event in AdminEvent.objects.filter(sequence__gte=sequence).order_by("sequence"):
        event.previous_hash = previous
        previous = event.hash = hash_link(event)
        event.save()


def test_hashes_made_anew_do_not_fit_the_signed_head():
    write(3)
    set_down_head()
    write(2)
    rewrite(2, actor_name="somebody else")
    assert fault() == ("rewritten", 3)


def test_nor_the_signed_tip():
    write(3)
    rewrite(2, actor_name="somebody else")
    assert fault() == ("rewritten", 3)


def test_a_head_that_was_changed_with_them_is_not_ours():
    write(3)
    set_down_head()
    rewrite(2, actor_name="somebody else")
    last = at(3).get().hash
    ChainHead.objects.update(hash=last)
    ChainTip.objects.update(hash=last)
    assert fault() == ("signature", 3)


def test_an_older_backup_is_found_by_a_head_that_was_kept_elsewhere():
    write(3)
    backup = AdminEvent.objects.count(), ChainTip.objects.get()
    write(2)
    kept = read_head(export_head())
    AdminEvent.objects.filter(sequence__gt=3).delete()
    ChainHead.objects.all().delete()
    backup[1].save()

    assert verify_chain().ok
    assert fault(heads=[kept]) == ("restored", 5)


def test_and_still_when_it_was_written_on():
    write(3)
    tip = ChainTip.objects.get()
    write(2)
    kept = read_head(export_head())
    AdminEvent.objects.filter(sequence__gt=3).delete()
    ChainHead.objects.all().delete()
    tip.save()
    write(4, after={"other": True})

    assert verify_chain().ok
    assert fault(heads=[kept]) == ("rewritten", 5)


def test_an_exported_head_that_was_changed_is_refused():
    write(2)
    head = export_head()
    assert verify_chain(heads=[read_head(head)]).ok
    changed = head.replace(b'"sequence": 2', b'"sequence": 1')
    assert fault(heads=[read_head(changed)]) == ("signature", 1)


@pytest.mark.parametrize("data", [b"", b"{}", b"[1]", b'{"format": "other"}', b"x" * 10_000], ids=range(5))
def test_something_else_is_no_head(data):
    with pytest.raises(Refused):
        read_head(data)


def test_a_head_is_set_down_once():
    write(2)
    assert set_down_head() == set_down_head()
    write()
    assert set_down_head().sequence == 3
    assert ChainHead.objects.count() == 2


def test_retention_takes_whole_signed_stretches_and_the_chain_stays_right():
    write(3)
    set_down_head()
    write(2)
    assert remove_old_events(before=EVERYTHING) == 3
    segment = ChainSegment.objects.get()
    assert (segment.first_sequence, segment.last_sequence) == (1, 3)
    write(1)
    set_down_head()
    assert remove_old_events(before=EVERYTHING) == 3
    report = verify_chain()
    assert (report.ok, report.checked, report.head_sequence) == (True, 0, 6)
    write()
    assert verify_chain().ok


def test_retention_keeps_what_is_young():
    events = write(4)
    set_down_head()
    assert remove_old_events(before=events[0].at) == 0


def test_retention_removes_events_of_before_the_chain_by_age():
    AdminEvent.objects.create(
        at=datetime(2020, 1, 1, tzinfo=UTC), actor_name="x", act="x", target_kind="x", target_id="", target_name=""
    )
    assert remove_old_events(before=datetime(2021, 1, 1, tzinfo=UTC)) == 1


def test_a_stretch_that_was_tampered_with_stays():
    write(4)
    set_down_head()
    at(2).update(actor_name="somebody else")
    assert remove_old_events(before=EVERYTHING) == 0
    assert fault() == ("altered", 2)


def test_after_retention_what_is_left_is_still_watched():
    write(3)
    set_down_head()
    write(3)
    remove_old_events(before=EVERYTHING)
    at(5).update(actor_name="somebody else")
    assert fault() == ("altered", 5)


def test_after_retention_a_removed_row_is_not_taken_for_an_old_one():
    write(3)
    set_down_head()
    write(3)
    remove_old_events(before=EVERYTHING)
    at(4).delete()
    assert fault() == ("removed", 4)


@pytest.mark.parametrize(
    ("change", "code"), [({"last_hash": "a" * 64}, "signature"), ({"key_name": "x"}, "key_missing")]
)
def test_a_segment_that_was_changed_is_not_ours(change, code):
    write(2)
    set_down_head()
    remove_old_events(before=EVERYTHING)
    ChainSegment.objects.update(**change)
    assert fault() == (code, 1)


def test_a_segment_that_is_gone_leaves_a_gap():
    write(2)
    set_down_head()
    write(1)
    remove_old_events(before=EVERYTHING)
    ChainSegment.objects.all().delete()
    assert fault() == ("removed", 1)


def test_what_a_verification_came_to_is_kept():
    assert last_check() is None
    events = write(2)
    assert check_chain().ok
    at(1).update(act="other")
    check_chain()
    check = last_check()
    assert (check.ok, check.fault, check.fault_sequence, check.fault_event_id) == (False, "altered", 1, events[0].pk)


def test_sides_are_bounded_and_say_so():
    many = {str(n): "y" * 1000 for n in range(50)}
    write(before={"tools": list(range(500)), "text": "x" * 5000}, after={"revision": 3, "large": many})
    event = AdminEvent.objects.get()
    assert event.before["tools"][-1] == "… +300"
    assert event.before["text"].endswith("…")
    assert event.after == {"revision": 3, "cut": [f"large: {len(canonical_json(many))} bytes"]}
    write(after=many)
    event = AdminEvent.objects.first()
    assert len(canonical_json(event.after)) <= MAX_SIDE_BYTES + 1000
    assert event.after["cut"][-1] == "… +24"
    assert hash_link(event) == event.hash


def test_what_looks_like_a_secret_is_masked():
    write(after={"note": "Bearer abcdefghij0123456789", "deep": [{"url": "https://me:pw@example.com/"}]})
    kept = str(AdminEvent.objects.get().after)
    assert "abcdefghij0123456789" not in kept
    assert "pw@" not in kept


def test_what_an_older_key_signed_is_signed_anew_and_the_old_key_can_go(settings):
    settings.VAULT_KEYS = f"old:{make_key_text()}"
    write(2)
    set_down_head()
    remove_old_events(before=EVERYTHING)
    write()
    exported = read_head(export_head())
    settings.VAULT_KEYS = f"new:{make_key_text()},{settings.VAULT_KEYS}"
    assert renew_signatures() == 4
    settings.VAULT_KEYS = settings.VAULT_KEYS.partition(",")[0]
    assert verify_chain(heads=[exported]).ok


def test_a_lost_key_is_told_from_a_forged_signature(settings):
    settings.VAULT_KEYS = f"old:{make_key_text()}"
    write(2)
    settings.VAULT_KEYS = f"new:{make_key_text()}"
    assert renew_signatures() == 0
    assert fault() == ("key_missing", 2)
    assert renew_signatures(unseen=True) == 1
    assert verify_chain().ok


def test_a_forged_signature_is_not_signed_anew(settings):
    write(1)
    ChainTip.objects.update(signature="0" * 128)
    settings.VAULT_KEYS = f"new:{make_key_text()}"
    assert renew_signatures() == 0
