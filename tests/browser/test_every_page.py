"""Every page in both themes and languages, wide and narrow: accessible, without sideways scroll, nothing broken."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.conftest import NewPage, shoot
from tests.flows.product import Product
from tests.flows.visitor import PASSWORD

PAGES = {
    "home": "/",
    "catalogue": "/catalogue/",
    "catalogue-connector": "/catalogue/workbench/",
    "connections": "/connections/",
    "agents": "/agents/",
    "agent-new": "/agents/new/",
    "my-calls": "/my/calls/",
    "my-decisions": "/my/decisions/",
    "connectors": "/connectors/",
    "install": "/install/",
    "overview": "/connectors/workbench/",
    "configuration": "/connectors/workbench/configuration/",
    "tools": "/connectors/workbench/tools/",
    "visibility": "/connectors/workbench/visibility/",
    "versions": "/connectors/workbench/versions/",
    "version": "/connectors/workbench/versions/1.0.0/",
    "update": "/connectors/workbench/update/",
    "remove": "/connectors/workbench/remove/",
    "connector-connections": "/connectors/workbench/connections/",
    "skills": "/connectors/workbench/skills/",
    "publish": "/connectors/workbench/publish/",
    "categories": "/categories/",
    "category": "/categories/productivity/",
    "bulk": "/bulk/connectors/?act=categorize&connector=workbench",
    "view-as": "/view-as/",
    "ledger": "/ledger/",
    "connector-ledger": "/connectors/workbench/ledger/",
    "reviews": "/reviews/",
    "notices": "/notices/",
    "unused": "/connections/unused/",
    "people": "/people/",
    "person-new": "/people/new/",
    "teams": "/teams/",
    "health": "/health/",
    "calls": "/audit/calls/",
    "decisions": "/audit/decisions/",
    "events": "/audit/events/",
    "verify": "/audit/verify/",
    "connector-calls": "/connectors/workbench/calls/",
    "preferences": "/preferences/",
}


@pytest.fixture(scope="module")
def filled(product: Product, admin: Page) -> Page:
    """The administrator's page, after the example was installed, published, connected and granted."""
    admin.goto("/connectors/")
    admin.get_by_role("button", name="Install the example").click()
    admin.get_by_role("link", name="Continue to configuration").first.click()
    admin.get_by_role("button", name="Install as a draft").click()
    admin.goto("/connectors/workbench/publish/")
    admin.get_by_role("button", name="Publish", exact=True).click()
    done = product.manage("new_agent", "--owner", "admin", "--name", "Script", "--grant", "workbench")
    assert done.returncode == 0, done.stderr
    return admin


@pytest.fixture(
    params=[("en", "light", 1280), ("zh-hans", "dark", 1280), ("zh-hans", "light", 360), ("en", "dark", 360)]
)
def dressed(request: pytest.FixtureRequest, filled: Page) -> tuple[Page, str]:
    """The page in one language, theme and width, and a name for it."""
    language, theme, width = request.param
    filled.set_viewport_size({"width": width, "height": 900})
    for name, value in (("language", language), ("theme", theme)):
        filled.goto("/preferences/")
        token = filled.locator("input[name=csrfmiddlewaretoken]").first.input_value()
        answer = filled.request.post(
            "/preferences/",
            form={name: value, "next": "/", "csrfmiddlewaretoken": token},
            headers={"Referer": filled.url},
        )
        assert answer.ok
    return filled, f"{language}-{theme}-{width}"


def test_every_page_is_accessible_and_fits(dressed: tuple[Page, str]) -> None:
    page, name = dressed
    faults = []
    for title, path in PAGES.items():
        page.goto(path)
        shoot(page, f"{name}-{title}")
        overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if overflow > 0:
            faults.append(f"{path} scrolls sideways by {overflow} px")
        faults += [
            f"{path}: {violation['id']} ({violation['impact']}): {violation['nodes'][0]['html'][:160]}"
            for violation in Axe().run(page).response["violations"]
            if violation["impact"] in ("serious", "critical")
        ]
    assert faults == []


def test_a_strip_of_tabs_wider_than_the_page_begins_where_the_open_one_shows(filled: Page) -> None:
    filled.set_viewport_size({"width": 360, "height": 900})
    filled.goto(PAGES["skills"])

    tab = filled.locator(".tabs > [aria-current]").bounding_box()

    assert tab is not None
    assert 0 <= tab["x"] <= tab["x"] + tab["width"] <= 360


def test_names_of_one_long_word_push_nothing_aside(filled: Page) -> None:
    filled.set_viewport_size({"width": 360, "height": 900})
    faults = []
    for title in ("home", "catalogue-connector", "connections", "agents", "overview", "install", "notices"):
        filled.goto(PAGES[title])
        overflow = filled.evaluate("""() => {
            for (const name of document.querySelectorAll("h1, .row-link, .row-title a, li strong, .agent-list a"))
                if (!name.children.length) name.textContent = "a_word_without_any_place_to_break_it_".repeat(3);
            return document.documentElement.scrollWidth - document.documentElement.clientWidth;
        }""")
        if overflow > 0:
            faults.append(f"{title}: {overflow} px")
    assert faults == []


def test_the_sign_in_page_is_accessible(new_page: NewPage) -> None:
    page = new_page()
    page.goto("/accounts/login/")
    shoot(page, "sign-in")
    violations = [v["id"] for v in Axe().run(page).response["violations"] if v["impact"] in ("serious", "critical")]
    assert violations == []


def test_a_wrong_password_keeps_the_name_and_says_so(new_page: NewPage) -> None:
    page = new_page()
    page.goto("/accounts/login/")
    page.locator("input[name=login]").fill("nobody")
    page.locator("input[name=password]").fill(PASSWORD + "!")
    page.locator("form button.button-primary").click()
    assert page.locator("input[name=login]").input_value() == "nobody"
    assert page.locator("input[name=password]").input_value() == ""
    assert re.search(r"not correct|incorrect", page.inner_text("main, body"))
