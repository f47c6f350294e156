"""The quarterly review of thirty connectors by keyboard alone; accessible in both themes; shown for the eye."""

import os
import re
import subprocess
import sys

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import shoot
from tests.flows.product import ROOT, Product

CONNECTORS = 30
SEED = f"""
from datetime import timedelta
import django
django.setup()
from django.utils import timezone
from connectors.catalogue.models import Connector
from connectors.ledger.models import Probe
from tests.builders.connectors import make_connection, make_connector
from tests.builders.logs import make_call
from tests.builders.people import make_user
now = timezone.now()
mei = make_user("mei", display_name="Mei Chen")
for number in range({CONNECTORS}):
    name = f"Service {{number:02}}"
    en = {{"name": name, "description": f"Reads and writes what {{name}} keeps.", "endpoint": "Address", "token": "Token"}}
    zh = {{"name": f"服务 {{number:02}}", "description": "读写记录。", "endpoint": "地址", "token": "令牌"}}
    connector = make_connector(f"service{{number:02}}", texts={{"en": en, "zh-CN": zh}})
    Connector.objects.filter(pk=connector.pk).update(published_at=now - timedelta(days=150))
    Probe.objects.create(connector=connector, outcome="listed", probed_at=now, last_good_at=now, enabled=False)
    ago = (1, 47, 120)[number % 3]
    account = make_connection(mei, connector)
    for day in range(ago, ago + 5):
        make_call(mei, connection=account, at=now - timedelta(days=day), upstream_tool="search_notes")
"""
# What use suggests of every third connector: the key that agrees with it.
KEYS = ("k", "o", "u")


@pytest.fixture(scope="module")
def seeded(product: Product, admin: Page) -> Page:
    environment = {**product.environment, "DJANGO_SETTINGS_MODULE": "poco.settings", "PYTHONPATH": os.fspath(ROOT)}
    subprocess.run([sys.executable, "-c", SEED], cwd=ROOT, env=environment, check=True, timeout=120)
    return admin


def begin(page: Page) -> str:
    """Finish the review that is open, start another by keyboard, and return its first step's address."""
    page.goto("/reviews/")
    if page.get_by_role("link", name="Take part").count():
        page.goto(page.get_by_role("link", name="Report").first.get_attribute("href") or "")
        page.get_by_role("button", name="Finish the review").click()
        page.goto("/reviews/")
    page.get_by_role("button", name="Start").press("Enter")
    expect(page.get_by_text(f"1 of {CONNECTORS}")).to_be_visible()
    return page.url


def prefer(page: Page, **chosen: str) -> None:
    for name, value in chosen.items():
        page.goto("/preferences/")
        token = page.locator("input[name=csrfmiddlewaretoken]").first.input_value()
        form = {name: value, "next": "/", "csrfmiddlewaretoken": token}
        assert page.request.post("/preferences/", form=form, headers={"Referer": page.url}).ok


def serious(page: Page) -> list[str]:
    violations = Axe().run(page).response["violations"]
    return [f"{page.url}: {each['id']}" for each in violations if each["impact"] in ("serious", "critical")]


def test_thirty_connectors_are_reviewed_by_keyboard(seeded: Page) -> None:
    page = seeded
    begin(page)
    shoot(page, "review-step")
    for number in range(CONNECTORS):
        expect(page.locator("h1")).to_have_text(f"Service {number:02}")
        page.keyboard.press("s" if number == 4 else KEYS[number % 3])
    expect(page.locator("h1")).to_have_text("Report of the review")
    for word, count in (("Keep", 10), ("Observe", 9), ("Uninstall", 10), ("Skipped", 1)):
        expect(page.locator(".figures > div", has_text=word).locator("dd")).to_have_text(str(count))
    shoot(page, "review-report")
    page.get_by_role("button", name="Finish the review").press("Enter")
    expect(page.get_by_text("The review is finished.")).to_be_visible()


def test_the_keyboard_asks_for_a_reason_takes_it_and_goes_back(seeded: Page) -> None:
    page = seeded
    begin(page)
    page.keyboard.press("u")
    expect(page.get_by_text("This is not what its use suggests.")).to_be_visible()
    expect(page.locator("#review-reason")).to_be_focused()
    page.keyboard.type("keeps out of sight")
    shoot(page, "review-reason")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Service 01")
    page.keyboard.press("z")
    expect(page.locator("h1")).to_have_text("Service 00")
    page.keyboard.press("ArrowRight")
    expect(page.locator("h1")).to_have_text("Service 01")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("h1")).to_have_text("Service 00")
    expect(page.get_by_text("keeps out of sight").first).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.locator("h1")).to_have_text("Service 01")
    page.keyboard.press("g")
    page.keyboard.press("h")
    expect(page).to_have_url(re.compile(r":\d+/$"))


@pytest.mark.parametrize(
    ("language", "theme", "width"),
    [("en", "light", 1280), ("zh-hans", "dark", 1280), ("zh-hans", "light", 360), ("en", "dark", 360)],
)
def test_the_pages_are_accessible_and_fit(seeded: Page, language: str, theme: str, width: int) -> None:
    page = seeded
    step = begin(page)
    page.set_viewport_size({"width": width, "height": 900})
    prefer(page, language=language, theme=theme)
    faults = []
    pages = {"ledger": "/ledger/", "tab": "/connectors/service01/ledger/", "step": step, "reviews": "/reviews/"}
    for name, path in {**pages, "report": re.sub(r"\d+/$", "report/", step)}.items():
        page.goto(path)
        shoot(page, f"ledger-{language}-{theme}-{width}-{name}")
        if page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
            faults.append(f"{path} scrolls sideways")
        faults += serious(page)
    prefer(page, language="en", theme="system")
    page.set_viewport_size({"width": 1280, "height": 900})
    assert faults == []


def test_the_ledger_prints_without_what_only_a_screen_needs(seeded: Page) -> None:
    page = seeded
    page.goto("/ledger/")
    page.emulate_media(media="print")
    try:
        shoot(page, "ledger-print")
        expect(page.locator(".sidebar")).to_be_hidden()
        expect(page.locator(".page-actions")).to_be_hidden()
        expect(page.get_by_text(re.compile(r"^Service \d\d$")).first).to_be_visible()
    finally:
        page.emulate_media(media="screen")  # the page goes on to the next test


def test_a_review_works_without_javascript(seeded: Page, product: Product) -> None:
    begin(seeded)
    assert seeded.context.browser is not None
    context = seeded.context.browser.new_context(
        base_url=product.address, java_script_enabled=False, storage_state=seeded.context.storage_state()
    )
    page = context.new_page()
    page.goto("/ledger/")
    page.get_by_role("link", name="Go on with the review").click()
    page.get_by_role("button", name="Skip").click()
    expect(page.locator("h1")).to_have_text("Service 01")
    context.close()
