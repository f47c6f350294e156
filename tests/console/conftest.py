"""The usual people at their pages. Ada administers with a browser of her own; Ann and the auditor use `client`."""

import pytest
from django.test import Client

from tests.builders.people import make_administrator, make_auditor, make_user
from tests.builders.versions import Workshop


@pytest.fixture
def ada(db):
    return make_administrator(display_name="Ada")


@pytest.fixture
def admin(ada):
    client = Client()
    client.force_login(ada)
    return client


@pytest.fixture
def ann(client, db):
    person = make_user("ann")
    client.force_login(person)
    return person


@pytest.fixture
def auditor(client, db):
    person = make_auditor()
    client.force_login(person)
    return person


@pytest.fixture
def workshop(tmp_path):
    return Workshop(tmp_path)
