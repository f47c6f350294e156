"""Fixtures shared by all tests."""

import os
import sys
from functools import cache

import pytest
from django.core.cache import caches
from django.core.cache.backends.locmem import LocMemCache
from django.db import connections, transaction
from django.test import TransactionTestCase
from hypothesis import settings

from tests.ready_database import take_ready_database

# Long proofs have make targets of their own (`make proofs`, `make peers`, `make browser`).
_PROOFS = [
    "proofs",
    "peers",
    "browser",
    "flows",
    "authorization/test_refresh_races.py",
    "lifecycle/test_acts_keep_secrets.py",
    "project/test_chinese_pages.py",
    "project/test_single_sign_on.py",
    "runtime/test_program_load.py",
]
collect_ignore = [] if "POCO_PROOFS" in os.environ else _PROOFS

_LONG = {
    "test_access_matrix",
    "test_program_containment",
    "test_program_keeper",
    "test_corpus",
    "test_admin_update",
    "test_oauth_programs",
}

# Enough examples for every run; a longer search is `make fuzz`. A busy machine draws slowly.
settings.register_profile("suite", max_examples=50, deadline=None)
settings.load_profile("suite")

# Laid by the migrations and the same for every test.
_LAID = {"django_migrations", "django_content_type", "auth_permission", "auth_group", "auth_group_permissions"}


@cache
def _tables(alias: str) -> tuple[str, ...]:
    names = connections[alias].introspection.django_table_names(only_existing=True, include_views=False)
    return tuple(sorted(name for name in names if name not in _LAID))


def _empty_tables(case: TransactionTestCase) -> None:
    """What Django's flush does after a test that commits, without laying permissions and roles anew (0.2 s a test)."""
    for alias in case._databases_names(include_mirrors=False):
        connection = connections[alias]
        quoted = [connection.ops.quote_name(name) for name in _tables(alias)]
        with transaction.atomic(using=alias), connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                cursor.execute(f"TRUNCATE {', '.join(quoted)}")
            else:
                for name in quoted:  # foreign keys are checked at the commit
                    cursor.execute(f"DELETE FROM {name}")


@pytest.fixture(autouse=True, scope="session")
def _empty_tables_quickly() -> None:
    TransactionTestCase._fixture_teardown = _empty_tables  # type: ignore[method-assign] # pytest-django builds its case from it


@pytest.fixture(scope="session")
def django_db_modify_db_settings(request: pytest.FixtureRequest, django_db_modify_db_settings_parallel_suffix: None):
    with pytest.MonkeyPatch.context() as patch:
        take_ready_database(request.config, patch)
        yield


@pytest.fixture(autouse=True)
def _meet_servers_anew() -> None:
    """A fake server may get the port of an earlier one, which spoke another era."""
    if eras := sys.modules.get("connectors.runtime.mcp_eras"):  # what starts the workers need not load it
        eras._remembered.clear()


@pytest.fixture(autouse=True)
def _remember_nothing() -> None:
    """What is kept for a while is kept by a person's number, and every test's people begin at 1."""
    if isinstance(caches["default"], LocMemCache):  # Redis is shared with others
        caches["default"].clear()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take longest, so that no worker is left alone with one at the end."""
    items.sort(key=lambda item: item.path.stem not in _LONG)
