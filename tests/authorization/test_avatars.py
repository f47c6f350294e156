"""An account's picture: fetched once, checked by its signature, shown to its owner under its digest, run by nobody."""

import json
import zlib
from struct import pack

import pytest
from django.urls import reverse

from connectors.authorization.complete import connect_account, reconnect_account
from connectors.authorization.models import Connection, ConnectionAvatar
from connectors.console.rendering.initials import tell_initials
from connectors.packages.limits import MAX_ICON_BYTES
from tests.builders.guests import install_guests
from tests.builders.people import make_administrator, make_user
from tests.fakes.authorization_server import AuthorizationServer

FACE = "/faces/ann"
SCRIPT = b'<svg xmlns="http://www.w3.org/2000/svg"><script>parent.hit()</script><rect width="9" height="9"/></svg>'


def chunk(name: bytes, data: bytes) -> bytes:
    return pack(">I", len(data)) + name + data + pack(">I", zlib.crc32(name + data))


def png(colour: int) -> bytes:
    header = chunk(b"IHDR", pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(bytes([0, colour]))) + chunk(b"IEND", b"")


@pytest.fixture
def service():
    with AuthorizationServer() as running:
        running.pages[FACE] = (200, {"Content-Type": "text/plain"}, png(0))
        yield running


@pytest.fixture
def guests(db, tmp_path):
    return install_guests(tmp_path)


@pytest.fixture
def ann(client, db):
    person = make_user("ann")
    client.force_login(person)
    return person


def typed(service, **more):
    return {"api_key": json.dumps({"id": "ann", "name": "Ann Lee", "avatar_url": f"{service.origin}{FACE}", **more})}


def connect(ann, guests, service, **more):
    return connect_account(person=ann, connector=guests, alias="work", raw_credentials=typed(service, **more))


def page_of(client, connection):
    return client.get(reverse("console:connection", args=[connection.pk])).content.decode()


def address_of(connection):
    return reverse("console:connection_avatar", args=[connection.pk, connection.avatar.digest])


def test_it_is_fetched_once_and_shown_from_here(client, ann, guests, service):
    connection = connect(ann, guests, service)

    for _ in range(2):
        assert f'src="{address_of(connection)}"' in page_of(client, connection)
        answer = client.get(address_of(connection))

    assert service.hits[FACE] == 1
    assert answer.content == png(0)
    assert answer["Content-Type"] == "image/png"
    assert answer["Content-Security-Policy"] == "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "immutable" in answer["Cache-Control"]
    assert "private" in answer["Cache-Control"]


def test_the_page_itself_may_show_pictures_of_this_house_only(client, ann, guests, service):
    page = client.get(reverse("console:connection", args=[connect(ann, guests, service).pk]))
    assert "img-src 'self'" in page["Content-Security-Policy"]
    assert service.origin not in page.content.decode()


@pytest.mark.parametrize(
    "answer",
    [
        (200, {"Content-Type": "image/png"}, b"<!doctype html><script>hit()</script>"),
        (200, {"Content-Type": "image/png"}, b"\x89PNG\r\n\x1a\n" + b"x" * MAX_ICON_BYTES),
        (200, {"Content-Type": "image/svg+xml"}, b"<svg xmlns='http://www.w3.org/2000/svg'>"),
        (404, {"Content-Type": "image/png"}, png(0)),
        (200, {}, b""),
    ],
    ids=["page", "too large", "broken drawing", "not found", "nothing"],
)
def test_what_is_no_picture_leaves_initials(client, ann, guests, service, answer):
    service.pages[FACE] = answer

    connection = connect(ann, guests, service)

    assert connection.state == "active"
    assert not ConnectionAvatar.objects.exists()
    assert ">AL</span>" in page_of(client, connection)


def test_a_drawing_is_served_where_it_can_do_nothing(client, ann, guests, service):
    service.pages[FACE] = (200, {}, SCRIPT)

    answer = client.get(address_of(connect(ann, guests, service)))

    assert answer["Content-Type"] == "image/svg+xml"
    assert "sandbox" in answer["Content-Security-Policy"]
    assert "script-src" not in answer["Content-Security-Policy"]


def test_another_persons_picture_does_not_exist(client, ann, guests, service):
    address = address_of(connect(ann, guests, service))
    for other in (make_user("bob"), make_administrator()):
        client.force_login(other)
        assert client.get(address).status_code == 404


def test_authorizing_again_takes_the_new_picture_and_keeps_the_old_one_when_the_service_is_slow_to_give_it(
    client, ann, guests, service
):
    connection = connect(ann, guests, service)
    old = address_of(connection)
    service.pages[FACE] = (503, {}, b"")
    reconnect_account(connection=connection, raw_credentials=typed(service))
    assert client.get(old).status_code == 200

    service.pages[FACE] = (200, {}, png(255))
    reconnect_account(connection=connection, raw_credentials=typed(service))

    assert client.get(old).status_code == 404
    assert client.get(address_of(Connection.objects.get())).content == png(255)

    reconnect_account(connection=connection, raw_credentials=typed(service, avatar_url=None))
    assert not ConnectionAvatar.objects.exists()


@pytest.mark.parametrize(
    ("name", "initials"),
    [
        ("Ann Lee", "AL"),
        ("ann.lee@example.com", "AL"),
        ("ann", "A"),
        ("王小明", "王"),
        ("王 小明", "王"),
        ("  ", ""),
        ("Ann van der Berg", "AB"),
    ],
)
def test_initials_are_those_of_the_name(name, initials):
    assert tell_initials(name) == initials
