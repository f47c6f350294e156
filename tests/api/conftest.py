"""A running gateway, a person with an agent, and a connector behind which a fake server answers."""

import pytest

from tests.fakes.gateway_server import running_gateway
from tests.fakes.world import World


@pytest.fixture(scope="session")
def served(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock(), running_gateway() as gateway:
        yield gateway


@pytest.fixture
def world(transactional_db, served):
    with World(served) as world:
        yield world
