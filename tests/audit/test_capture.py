"""Content of calls: masked, cut, sealed for its row, gone after its days; whoever looks leaves an event."""

from datetime import timedelta

import pytest
from django.utils import timezone

from connectors.audit.capture import (
    MAX_SIDE_BYTES,
    content_state,
    open_content,
    seal_content,
    shorten_captured,
    sweep_captured,
)
from connectors.audit.models import AdminEvent, CallRecord, CapturedContent
from connectors.catalogue.capture import set_capture
from connectors.errors import Invalid
from connectors.vault.sealing import CannotOpen
from connectors.vault.secret import MASK, Secret
from tests.builders.connectors import make_connector
from tests.builders.logs import make_call
from tests.builders.people import make_administrator, make_user

pytestmark = pytest.mark.django_db
CANARY = "canary-4d7f1b"


@pytest.fixture
def admin():
    return make_administrator()


def keep(
    *, arguments: bytes = b'{"q": 1}', result: bytes = b'{"content": []}', days: int = 3, secrets=()
) -> CallRecord:
    call = make_call(make_user(), captured=True, connector_key="notes")
    seal_content(
        call_id=call.pk, connector_key="notes", days=days, arguments=arguments, result=result, secrets=secrets
    ).save(force_insert=True)
    return call


def test_what_was_said_and_answered_can_be_read_and_the_reader_is_named(admin):
    call = keep(arguments='{"q":"中文 😀"}'.encode())
    content = open_content(call=call, actor=admin)
    assert (content.arguments, content.result) == ('{"q":"中文 😀"}', '{"content": []}')
    assert (content.arguments_cut, content.result_cut) == (False, False)
    event = AdminEvent.objects.get()
    assert (event.act, event.actor_id, event.target_id) == ("content_viewed", admin.pk, str(call.pk))


def test_neither_side_is_legible_in_the_database():
    keep(arguments=b'{"q": "legible"}', result=b'{"r": "legible"}')
    row = CapturedContent.objects.get()
    assert b"legible" not in bytes(row.arguments) + bytes(row.result)


def test_known_secrets_and_what_looks_like_one_are_masked_before(admin):
    call = keep(
        arguments=f'{{"q": "{CANARY}"}}'.encode(),
        result=f'{{"text": "its {CANARY} and Bearer abcdef0123456789abcd"}}'.encode(),
        secrets=[Secret(CANARY)],
    )
    content = open_content(call=call, actor=admin)
    assert MASK in content.arguments
    assert CANARY not in content.arguments + content.result
    assert "abcdef0123456789abcd" not in content.result


@pytest.mark.parametrize("before_the_cut", range(1, len(CANARY)))
def test_a_secret_across_the_cut_leaves_no_part(admin, before_the_cut):
    result = b"x" * (MAX_SIDE_BYTES - before_the_cut) + CANARY.encode() + b"y" * 100
    call = keep(result=result, secrets=[Secret(CANARY)])
    assert "c" not in open_content(call=call, actor=admin).result


def test_each_side_is_bounded_and_says_so(admin):
    content = open_content(call=keep(result="语".encode() * MAX_SIDE_BYTES), actor=admin)
    assert len(content.result.encode()) <= MAX_SIDE_BYTES
    assert set(content.result) == {"语"}
    assert (content.arguments_cut, content.result_cut) == (False, True)


def test_content_moved_to_another_call_does_not_open(admin):
    keep()
    other = make_call(make_user(), captured=True)
    CapturedContent.objects.update(call_id=other.pk)
    with pytest.raises(CannotOpen):
        open_content(call=other, actor=admin)
    assert not AdminEvent.objects.exists()


def test_what_has_expired_is_not_shown_and_then_swept(admin):
    call, living = keep(), keep()
    CapturedContent.objects.filter(call_id=call.pk).update(expires_at=timezone.now())
    assert open_content(call=call, actor=admin) is None
    assert [content_state(each) for each in (call, living, make_call(make_user()))] == ["expired", "kept", "none"]
    assert not AdminEvent.objects.exists()
    assert sweep_captured() == 1
    assert CapturedContent.objects.get().call_id == living.pk


def test_fewer_days_count_for_what_is_kept_already():
    call = keep(days=9)
    shorten_captured(connector_key="other", days=0)
    shorten_captured(connector_key="notes", days=2)
    row = CapturedContent.objects.get()
    assert row.expires_at == row.captured_at + timedelta(days=2)
    shorten_captured(connector_key="notes", days=5)
    row.refresh_from_db()
    assert row.expires_at == row.captured_at + timedelta(days=2)
    assert content_state(call) == "kept"


def test_it_is_off_until_an_administrator_asks_for_it(admin):
    connector = make_connector()
    assert connector.capture_days == 0
    assert set_capture(connector=connector, days=7, actor=admin).capture_days == 7
    set_capture(connector=connector, days=7, actor=admin)
    event = AdminEvent.objects.get()
    assert (event.act, event.before, event.after) == ("capture_set", {"capture_days": 0}, {"capture_days": 7})


def test_turning_it_off_lets_go_of_what_is_kept(admin):
    connector = make_connector()
    set_capture(connector=connector, days=7, actor=admin)
    call = make_call(make_user(), captured=True, connector_key=connector.key)
    seal_content(call_id=call.pk, connector_key=connector.key, days=7, arguments=b"", result=b"", secrets=()).save(
        force_insert=True
    )
    set_capture(connector=connector, days=0, actor=admin)
    assert content_state(call) == "expired"
    assert sweep_captured() == 1


@pytest.mark.parametrize("days", [-1, 31])
def test_only_so_many_days(admin, days):
    with pytest.raises(Invalid):
        set_capture(connector=make_connector(), days=days, actor=admin)
