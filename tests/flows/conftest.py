"""A running product, its administrator and an ordinary person, shared by the tests of one module."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection

from tests.flows.product import ROOT, Product
from tests.flows.visitor import PASSWORD, Visitor, redeem, sign_in

EXAMPLES = ROOT / "connectors" / "examples" / "packages"


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory, django_db_setup: None) -> Iterator[Product]:
    """It starts on tables that are laid already, which takes half the time; test_up.py starts on nothing."""
    folder = tmp_path_factory.mktemp("product")
    if connection.vendor == "sqlite":
        (folder / "var").mkdir()
        source = sqlite3.connect(str(connection.settings_dict["NAME"]))
        target = sqlite3.connect(folder / "var" / "poco.sqlite3")
        with closing(source), closing(target):
            source.backup(target)
    with Product(folder / "var") as running:
        yield running
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example packages as ZIPs, packed by the author's command."""
    folder = tmp_path_factory.mktemp("packages")
    for name in ("workbench", "workbench-keyed"):
        call_command("pack_package", str(EXAMPLES / name), "-o", str(folder / f"{name}.zip"), verbosity=0)
    return folder


@pytest.fixture(scope="module")
def admin(product: Product) -> Iterator[Visitor]:
    assert product.sign_in_link is not None
    visitor = redeem(product.address, product.sign_in_link)
    yield visitor
    visitor.close()


@pytest.fixture(scope="module")
def mei(product: Product, admin: Visitor) -> Iterator[Visitor]:
    """An ordinary person, made by the administrator and signed in by the link she was given."""
    admin.open("/people/new/")
    admin.submit("/people/new/", username="mei", display_name="Mei", role="user")
    link = admin.page.find(string=lambda text: "/welcome/" in text) or ""
    address = next(word for word in str(link).split() if "/welcome/" in word)
    redeem(product.address, address).close()
    visitor = sign_in(product.address, "mei", PASSWORD)
    yield visitor
    visitor.close()
