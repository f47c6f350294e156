"""Refreshing runs in threads of its own: their database connections end with each test."""

import pytest

from connectors.audit.database_lanes import close_lane_connections


@pytest.fixture(autouse=True)
def _lanes_closed():
    yield
    close_lane_connections()
