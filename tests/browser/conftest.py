"""Chromium against a running product; every screenshot goes to build/screenshots/."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.flows.product import ROOT, Product
from tests.flows.visitor import PASSWORD

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SCREENSHOTS = ROOT / "build" / "screenshots"
_ARGUMENTS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--force-color-profile=srgb"),
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(item.fspath).parent == Path(__file__).parent:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.timeout(240))
            item.add_marker(pytest.mark.xdist_group("browser"))
            if CHROMIUM is None:
                item.add_marker(pytest.mark.skip(reason="Chromium is not installed (apt-get install chromium)"))


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    with Product(tmp_path_factory.mktemp("product") / "var") as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=_ARGUMENTS)
        yield chromium
        chromium.close()


NewPage = Callable[..., Page]


@pytest.fixture(scope="module")
def new_page(browser: Browser, product: Product) -> Iterator[NewPage]:
    """Make a page in a session of its own; a script error or a breach of the content policy fails the test."""
    contexts = []
    faults: list[str] = []

    def make(width: int = 1280, height: int = 900) -> Page:
        context = browser.new_context(
            base_url=product.address, viewport={"width": width, "height": height}, locale="en"
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda told: faults.append(told.text) if "Content Security Policy" in told.text else None)
        return page

    yield make
    for context in contexts:
        context.close()
    assert faults == []


@pytest.fixture(scope="module")
def admin(new_page: NewPage, product: Product) -> Page:
    page = new_page()
    assert product.sign_in_link is not None
    redeem(page, product.sign_in_link)
    return page


@pytest.fixture(scope="module")
def mei(new_page: NewPage, admin: Page) -> Page:
    """An ordinary person, made by the administrator, signed in by her link."""
    admin.goto("/people/new/")
    admin.locator("input[name=username]").fill("mei")
    admin.locator("input[name=display_name]").fill("Mei Chen")
    admin.locator("main form button.button-primary").click()
    link = admin.get_by_text("/welcome/").first.inner_text()
    page = new_page()
    redeem(page, link.strip())
    return page


def redeem(page: Page, link: str) -> None:
    page.goto(link)
    page.get_by_role("button", name="Sign in").click()
    page.locator("input[name=new_password1]").fill(PASSWORD)
    page.locator("input[name=new_password2]").fill(PASSWORD)
    page.locator("form button.button-primary").click()
    page.wait_for_url(lambda url: "/welcome/" not in url)


def shoot(page: Page, name: str) -> None:
    """Keep what the page shows now as build/screenshots/NAME.png, whole."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=True, animations="disabled")
