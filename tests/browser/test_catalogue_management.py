"""An administrator keeps the catalogue: configures, publishes, looks as a person, orders, acts on several."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage, redeem, shoot
from tests.builders.shelf import SHELF, build_shelf
from tests.flows.product import Product

LOOKS = [("en", "light", 1280), ("zh-hans", "dark", 1280), ("zh-hans", "light", 360), ("en", "dark", 360)]


@pytest.fixture(scope="module")
def stocked(product: Product, admin: Page, tmp_path_factory: pytest.TempPathFactory) -> Page:
    """The administrator's page, after the whole shelf was installed; calendar, mail and tracker are published."""
    for key, archive in build_shelf(tmp_path_factory.mktemp("shelf")).items():
        published = ["--publish"] if key in ("calendar", "mail", "tracker") else []
        address = f"endpoint={product.example_address}/mcp"
        done = product.manage("install_package", str(archive), "--set", address, *published)
        assert done.returncode == 0, done.stderr
    return admin


@pytest.fixture(scope="module")
def second(new_page: NewPage, admin: Page) -> Page:
    """Another administrator, signed in in another browser."""
    admin.goto("/people/new/")
    admin.locator("input[name=username]").fill("bob")
    admin.locator("input[name=display_name]").fill("Bob Li")
    admin.locator("input[name=role][value=administrator]").check()
    admin.locator("main form button.button-primary").click()
    link = admin.get_by_text("/welcome/").first.inner_text()
    page = new_page()
    redeem(page, link.strip())
    return page


@pytest.fixture(autouse=True)
def _usual_look(admin: Page) -> None:
    dress(admin, "en", "light", 1280)


def dress(page: Page, language: str, theme: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto("/preferences/")
    token = page.locator("input[name=csrfmiddlewaretoken]").first.input_value()
    for name, value in (("language", language), ("theme", theme)):
        form = {name: value, "next": "/", "csrfmiddlewaretoken": token}
        assert page.request.post("/preferences/", form=form, headers={"Referer": page.url}).ok


def order_of(page: Page, category: str = "office") -> list[str]:
    keys = page.locator("tr[data-key]").evaluate_all("rows => rows.map(row => row.dataset.key)")
    return [key for key in keys if SHELF[key][2] == category]


def audit(page: Page, name: str) -> None:
    """Take a picture; nothing scrolls sideways, axe finds nothing serious."""
    shoot(page, name)
    overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert overflow <= 0, f"{name} scrolls sideways by {overflow} px"
    found = [v for v in Axe().run(page).response["violations"] if v["impact"] in ("serious", "critical")]
    assert found == [], f"{name}: {[(v['id'], v['nodes'][0]['html'][:200]) for v in found]}"


def test_a_row_is_moved_by_keys_and_each_step_is_spoken(stocked: Page) -> None:
    stocked.goto("/connectors/")
    first, second, last = order_of(stocked)
    name = SHELF[last][0]
    handle = stocked.get_by_role("button", name=f"Move {name}", exact=True)
    handle.focus()
    stocked.keyboard.press("Space")
    expect(stocked.locator("#spoken")).to_have_text(re.compile(f"{name} lifted. Place 3 of 3"))
    stocked.keyboard.press("ArrowUp")
    expect(stocked.locator("#spoken")).to_have_text(f"{name}: place 2 of 3.")
    shoot(stocked, "catalogue-lifted")
    stocked.keyboard.press("Home")
    with stocked.expect_response("**/order/connectors/"):
        stocked.keyboard.press("Space")
    expect(stocked.locator("#spoken")).to_have_text(f"{name} is now at place 1 of 3.")
    expect(handle).to_be_focused()
    stocked.reload()
    assert order_of(stocked) == [last, first, second]


def test_escape_puts_a_row_back(stocked: Page) -> None:
    stocked.goto("/connectors/")
    before = order_of(stocked)
    stocked.get_by_role("button", name="Move Mail", exact=True).focus()
    stocked.keyboard.press("Enter")
    stocked.keyboard.press("ArrowUp")
    stocked.keyboard.press("Escape")
    expect(stocked.locator("#spoken")).to_have_text("Mail is back at its place.")
    assert order_of(stocked) == before
    stocked.reload()
    assert order_of(stocked) == before


def test_a_row_is_dragged_by_its_handle_and_stays_within_its_category(stocked: Page) -> None:
    stocked.goto("/connectors/")
    first, *_others, last = order_of(stocked)
    handle = stocked.locator(f"tr[data-key={last}] [data-handle]").bounding_box()
    target = stocked.locator(f"tr[data-key={first}]").bounding_box()
    assert handle is not None
    assert target is not None
    stocked.mouse.move(handle["x"] + 5, handle["y"] + 5)
    stocked.mouse.down()
    stocked.mouse.move(handle["x"] + 5, target["y"] + 4, steps=8)
    with stocked.expect_response("**/order/connectors/") as moved:
        stocked.mouse.up()
    assert moved.value.status == 204
    stocked.reload()
    assert order_of(stocked)[:2] == [last, first]


def test_people_see_that_order(stocked: Page, mei: Page) -> None:
    stocked.goto("/connectors/")
    shown = [key for key in order_of(stocked) if key in ("calendar", "mail")]
    mei.goto("/catalogue/")
    links = mei.locator("a.tile-link").evaluate_all("links => links.map(link => link.pathname.split('/')[2])")
    assert [key for key in links if key in shown] == shown


def test_without_javascript_buttons_move_a_row(product: Product, stocked: Page) -> None:
    context = stocked.context.browser.new_context(
        base_url=product.address, java_script_enabled=False, storage_state=stocked.context.storage_state()
    )
    page = context.new_page()
    page.goto("/connectors/?category=office")
    before = page.locator("tr[data-key] a").first.inner_text()
    page.get_by_role("button", name=f"Move down {before}").click()
    assert page.url.endswith("?category=office")
    assert page.locator("tr[data-key] a").first.inner_text() != before
    page.get_by_role("checkbox", name=f"Select {before}").check()
    page.get_by_role("button", name="Withdraw…").click()
    expect(page.get_by_role("heading", name="Withdraw connectors")).to_be_visible()
    context.close()


def test_publishing_to_a_team_counts_as_one_chooses(stocked: Page, mei: Page) -> None:
    stocked.goto("/teams/new/")
    stocked.locator("input[name=name]").fill("Finance")
    stocked.locator("[name=more_people]").fill("mei")
    stocked.locator("main form button.button-primary").click()
    stocked.goto("/connectors/invoices/publish/")
    stocked.get_by_label("Chosen teams and people").check()
    expect(stocked.locator("#reach")).to_contain_text("0 people")
    stocked.get_by_label("Finance").check()
    expect(stocked.locator("#reach")).to_contain_text("1 person")
    stocked.get_by_placeholder("Find people by name").fill("adm")
    stocked.locator("#people-found").get_by_role("checkbox", name=re.compile("admin")).check()
    expect(stocked.locator("#reach")).to_contain_text("2 people")
    audit(stocked, "catalogue-publish")
    stocked.get_by_role("button", name="Publish", exact=True).click()
    expect(stocked.get_by_text("Published: 2 people may see it.")).to_be_visible()
    mei.goto("/catalogue/invoices/")
    expect(mei.get_by_role("heading", name="Invoices", level=1)).to_be_visible()


def test_viewing_as_a_person_shows_what_they_see_and_offers_nothing_to_press(stocked: Page, mei: Page) -> None:
    stocked.goto("/connectors/calendar/visibility/")
    stocked.get_by_role("button", name="Choose a person…").click()
    stocked.get_by_role("link", name="Mei Chen").click()
    expect(stocked.get_by_text("Viewing as Mei Chen")).to_be_visible()
    expect(stocked.get_by_role("button", name="Connect")).to_be_disabled()
    audit(stocked, "catalogue-view-as-connector")
    stocked.locator(".viewed").get_by_role("link", name="Catalogue").click()
    seen = stocked.locator(".viewed a.tile-link").all_inner_texts()
    mei.goto("/catalogue/")
    assert seen == mei.locator("a.tile-link").all_inner_texts()
    audit(stocked, "catalogue-view-as")


def test_the_second_of_two_editors_sees_who_changed_what(stocked: Page, second: Page) -> None:
    stocked.goto("/connectors/tracker/configuration/")
    second.goto("/connectors/tracker/configuration/")
    second.get_by_label("Rows a page").fill("50")
    second.get_by_label("Region").select_option("cn")
    second.get_by_label("Client secret").fill("bobs-canary")
    second.get_by_role("button", name="Save").click()
    expect(second.get_by_text("The configuration was saved.")).to_be_visible()
    stocked.get_by_label("Rows a page").fill("70")
    stocked.get_by_label("Workspace").fill("core")
    stocked.get_by_role("button", name="Save").click()
    told = stocked.get_by_role("alert")
    expect(told).to_contain_text("Bob Li changed this configuration")
    expect(told.get_by_role("row", name=re.compile("Rows a page"))).to_contain_text(re.compile("20.*50.*70", re.DOTALL))
    expect(told.get_by_role("row", name=re.compile("Region"))).to_contain_text("China")
    assert stocked.get_by_label("Rows a page").input_value() == "70"
    assert stocked.get_by_label("Region").input_value() == "cn"
    assert "bobs-canary" not in stocked.content()
    audit(stocked, "catalogue-second-editor")
    stocked.get_by_role("button", name="Save").click()
    expect(stocked.get_by_text("The configuration was saved.")).to_be_visible()
    assert stocked.get_by_label("Region").input_value() == "cn"


def test_several_are_published_at_once_with_a_row_each(stocked: Page) -> None:
    stocked.goto("/connectors/")
    expect(stocked.get_by_role("button", name="Publish…")).to_be_hidden()
    for name in ("Builds", "Issue tracker"):
        stocked.get_by_role("checkbox", name=f"Select {name}").check()
    expect(stocked.locator("[data-picked]")).to_have_text("2 selected")
    audit(stocked, "catalogue-selected")
    stocked.get_by_role("button", name="Publish…").click()
    audit(stocked, "catalogue-bulk")
    stocked.get_by_role("button", name="Publish", exact=True).click()
    expect(stocked.get_by_role("row", name=re.compile("Builds"))).to_contain_text("Done")
    expect(stocked.get_by_role("row", name=re.compile("Issue tracker"))).to_contain_text("Unchanged")
    audit(stocked, "catalogue-bulk-done")


def test_a_category_is_named_in_both_languages_and_merged(stocked: Page) -> None:
    stocked.goto("/categories/finance/")
    stocked.locator("main input[lang=en]").fill("Money")
    stocked.locator("main input[lang=zh-hans]").fill("财务")
    stocked.locator("label.icon-choice", has=stocked.locator("input[value=banknotes]")).click()
    audit(stocked, "catalogue-category")
    stocked.get_by_role("button", name="Save").click()
    expect(stocked.get_by_role("link", name="Money")).to_be_visible()
    stocked.goto("/categories/development/")
    stocked.get_by_label("Merge into").select_option("office")
    stocked.get_by_role("button", name="Merge").click()
    expect(stocked.get_by_role("button", name="Take Development out again")).to_be_visible()
    audit(stocked, "catalogue-categories")
    stocked.get_by_role("button", name="Take Development out again").click()
    expect(stocked.get_by_role("link", name="Development")).to_be_visible()


@pytest.mark.parametrize(("language", "theme", "width"), LOOKS)
def test_the_pages_look_right_in_both_languages_and_themes(
    stocked: Page, language: str, theme: str, width: int
) -> None:
    dress(stocked, language, theme, width)
    pages = {
        "connectors": "/connectors/",
        "categories": "/categories/",
        "category": "/categories/finance/",
        "view-as-choose": "/view-as/",
        "bulk": "/bulk/connectors/?act=categorize&connector=mail&connector=notes",
        "connections": "/connectors/tracker/connections/",
        "skills": "/connectors/tracker/skills/",
        "configuration": "/connectors/tracker/configuration/",
        "publish": "/connectors/notes/publish/",
        "overview": "/connectors/tracker/",
        "catalogue": "/catalogue/",
    }
    for name, path in pages.items():
        stocked.goto(path)
        audit(stocked, f"{language}-{theme}-{width}-catalogue-{name}")
