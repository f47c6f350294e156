"""The whole dance in a real browser: catalogue, the provider's own login and consent pages, and back to the account."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser.conftest import CHROMIUM, redeem, shoot
from tests.builders.oauth import oauth_options
from tests.builders.packages import CLIENT_FIELDS, ENDPOINT_FIELD, build_oauth_manifest, build_package
from tests.flows.product import Product
from tests.peers.oidc import SCOPES, TokenGuarded, run_provider

pytestmark = [
    pytest.mark.timeout(240),
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (apt-get install chromium)"),
]
CALLBACK = "/api/v1/connectors/oauth/callback"


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    with Product(tmp_path_factory.mktemp("product") / "var") as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Browser, product: Product) -> Iterator[Page]:
    context = browser.new_context(base_url=product.address, locale="en")
    page = context.new_page()
    page.set_default_timeout(20_000)
    faults: list[str] = []
    page.on("console", lambda told: faults.append(told.text) if "Content Security Policy" in told.text else None)
    yield page
    context.close()
    assert faults == []


@pytest.fixture
def issuer(product: Product, tmp_path: Path) -> Iterator[str]:
    """A provider that people of the product sign in at, with its connector installed."""
    with TokenGuarded() as server, run_provider(callback=product.address + CALLBACK, resource=server.url) as issuer:
        server.trust(issuer)
        archive = tmp_path / "records.zip"
        discovery = {"type": "mcp", "resource_configuration_field": "endpoint", "expected_issuer": issuer}
        auth = {
            "strategy": "oauth_authorization_code",
            "interaction": "redirect",
            "fields": [],
            "options": oauth_options(discovery, method="none", scopes=list(SCOPES)),
        }
        fields = [ENDPOINT_FIELD, CLIENT_FIELDS[0]]
        build_package(archive, manifest=build_oauth_manifest(auth=auth, configuration={"fields": fields}))
        setting = ("--set", f"endpoint={server.url}", "--set", "client_id=public", "--publish")
        done = product.manage("install_package", str(archive), *setting)
        assert done.returncode == 0, done.stderr
        yield issuer


def test_a_person_signs_in_at_the_provider_and_comes_back_connected(page: Page, product: Product, issuer: str) -> None:
    assert product.sign_in_link is not None
    redeem(page, product.sign_in_link)

    page.goto("/catalogue/records/")
    page.get_by_role("button", name="Connect").click()
    page.wait_for_url(f"{issuer}/interaction/*")
    page.locator("input[name=login]").fill("ann")
    page.locator("input[name=password]").fill("any")
    page.locator("button[type=submit]").click()
    page.wait_for_selector("input[name=prompt][value=consent]", state="attached")
    page.locator("button[type=submit]").click()

    page.wait_for_url(f"{product.address}/connections/*/")
    expect(page.get_by_text("is connected.")).to_be_visible()
    expect(page.get_by_text("Working")).to_be_visible()
    assert "code=" not in page.url
    shoot(page, "signed-in-at-a-provider")

    page.go_back()
    expect(page.locator("h1")).to_be_visible()
