"""The logs in a browser: a shared link, a saved view, rows that come in while one looks, an export, and the verification."""

import csv
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage, shoot
from tests.flows.product import ROOT, Product
from tests.flows.visitor import PASSWORD


@contextmanager
def calls_coming(
    product: Product, *, rate: float, seconds: float, tool: str = "echo"
) -> Iterator[subprocess.Popen[str]]:
    """Calls of the administrator, written by a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.fakes.call_stream", "admin", str(rate), str(seconds), tool],
        cwd=ROOT,
        env=product.environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
        process.wait(90)
    finally:
        process.kill()
        output, _errors = process.communicate()
    assert process.returncode == 0, output


@pytest.fixture(scope="module")
def auditor(admin: Page, product: Product) -> Page:
    """The administrator's page, with some calls in the log."""
    for tool, count in (("search_notes", 8), ("write_note", 4)):
        with calls_coming(product, rate=20, seconds=count / 20, tool=tool):
            pass
    return admin


def rows(page: Page) -> list[str]:
    return page.locator("#rows > [data-key]").evaluate_all("rows => rows.map((row) => row.dataset.key)")


def test_a_filtered_address_shows_others_the_same_rows(auditor: Page, new_page: NewPage) -> None:
    auditor.goto("/audit/calls/")
    tool = auditor.get_by_role("textbox", name="Tool")
    tool.fill("write_note")
    tool.press("Enter")
    expect(auditor.locator(".chip")).to_contain_text("write_note")
    other = new_page()
    sign_in(other)
    other.goto(auditor.url)

    assert "tool=write_note" in auditor.url
    assert rows(auditor) == rows(other) != []


def test_choosing_a_time_filters_at_once_and_back_goes_back(auditor: Page) -> None:
    auditor.goto("/audit/calls/")
    auditor.get_by_label("Time", exact=True).select_option("15m")
    expect(auditor.locator(".chip")).to_contain_text("Last 15 minutes")
    assert auditor.url.endswith("?range=15m")
    auditor.go_back()
    expect(auditor.locator(".chip")).to_have_count(0)


def test_a_view_is_saved_with_its_columns_and_comes_back(auditor: Page) -> None:
    auditor.goto("/audit/calls/?tool=write_note")
    auditor.locator("summary", has_text="Columns").click()
    auditor.get_by_label("Trace", exact=True).last.check()
    auditor.get_by_role("button", name="Show these").click()
    expect(auditor.get_by_role("columnheader", name="Trace")).to_be_visible()
    auditor.locator("summary", has_text="Views").click()
    auditor.get_by_label("Name", exact=True).fill("Notes that were written")
    auditor.get_by_role("button", name="Save this view").click()
    expect(auditor.locator(".message")).to_contain_text("is saved")
    auditor.goto("/audit/calls/")
    auditor.locator("summary", has_text="Views").click()
    auditor.get_by_role("link", name="Notes that were written").click()

    expect(auditor.get_by_role("columnheader", name="Trace")).to_be_visible()
    expect(auditor.locator(".chip")).to_contain_text("write_note")


def test_an_export_holds_what_is_filtered(auditor: Page) -> None:
    auditor.goto("/audit/calls/?tool=write_note")
    shown = rows(auditor)
    auditor.locator("summary", has_text="Export").click()
    with auditor.expect_download() as taken:
        auditor.get_by_role("link", name="CSV").click()
    with taken.value.path().open(encoding="utf-8-sig", newline="") as file:
        found = [row["id"] for row in csv.DictReader(file)]

    assert found == shown
    assert taken.value.suggested_filename.endswith(".csv")


def test_rows_come_in_at_fifty_calls_a_second_without_freezing(auditor: Page, product: Product) -> None:
    auditor.goto("/audit/calls/")
    auditor.mouse.move(5, 5)
    auditor.evaluate(
        """() => {
          window.stalls = [];
          new PerformanceObserver((list) => window.stalls.push(...list.getEntries().map((one) => one.duration)))
            .observe({ entryTypes: ["longtask"] });
        }"""
    )
    before = set(rows(auditor))
    auditor.get_by_role("button", name="Live").click()
    with calls_coming(product, rate=50, seconds=14, tool="streamed") as process:
        expect(auditor.locator("#rows > tr").first).to_contain_text("streamed", timeout=15_000)
        auditor.wait_for_timeout(5_000)
        came = [key for key in rows(auditor) if key not in before]
        assert len(came) > 100
        auditor.get_by_role("button", name="Pause").click()
        held = rows(auditor)
        expect(auditor.locator("[data-tail-new]")).to_be_visible()
        auditor.wait_for_timeout(2_500)
        assert rows(auditor) == held  # nothing moves while it is paused
        shoot(auditor, "log-live-paused")
        auditor.locator("[data-tail-new]").click()
        process.wait(60)
    auditor.get_by_role("button", name="Pause").click()
    auditor.wait_for_timeout(4_500)
    shown = rows(auditor)

    assert shown == sorted(shown, reverse=True)
    assert f"after={shown[-1]}" in (auditor.locator(".pagination [rel=next]").get_attribute("href") or "")
    assert len(shown) == len(set(shown)) <= 200
    assert max(auditor.evaluate("window.stalls"), default=0) < 1000  # the page answered all the time
    auditor.get_by_role("button", name="Live").click()


def test_nothing_moves_while_one_has_scrolled_down(auditor: Page, product: Product) -> None:
    auditor.goto("/audit/calls/")
    auditor.wait_for_load_state("networkidle")  # the charts have come
    auditor.get_by_role("button", name="Live").click()
    auditor.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    at, shown = auditor.evaluate("window.scrollY"), rows(auditor)
    with calls_coming(product, rate=10, seconds=2, tool="later"):
        expect(auditor.locator("[data-tail-new]")).to_contain_text("new", timeout=15_000)
    assert (auditor.evaluate("window.scrollY"), rows(auditor)) == (at, shown)
    auditor.locator("[data-tail-new]").click()

    expect(auditor.locator("#rows > tr").first).to_contain_text("later")


def test_the_chain_is_verified_by_the_worker_when_asked(auditor: Page) -> None:
    auditor.goto("/audit/verify/")
    auditor.get_by_role("button", name="Verify now").click()
    expect(auditor.get_by_text("The chain is whole")).to_be_visible(timeout=60_000)
    with auditor.expect_download() as taken:
        auditor.get_by_role("link", name="Download the head").click()
    assert b"poco-chain-head" in taken.value.path().read_bytes()


PAGES = {
    "calls": "/audit/calls/?range=24h",
    "calls-none": "/audit/calls/?tool=no-such-tool",
    "decisions": "/audit/decisions/",
    "events": "/audit/events/",
    "verify": "/audit/verify/",
    "my-calls": "/my/calls/",
}


@pytest.mark.parametrize(
    ("language", "theme", "width"), [("en", "light", 1280), ("zh-hans", "dark", 1280), ("zh-hans", "light", 360)]
)
def test_the_log_pages_are_accessible_and_fit(auditor: Page, language: str, theme: str, width: int) -> None:
    auditor.set_viewport_size({"width": width, "height": 900})
    prefer(auditor, language=language, theme=theme)
    auditor.goto("/audit/calls/?tool=write_note")
    call = auditor.locator("#rows a.mono").first.get_attribute("href") or ""
    auditor.goto("/audit/events/")
    event = auditor.locator("#rows .row-title a").first.get_attribute("href") or ""
    faults = []
    for name, path in (PAGES | {"call": call, "event": event}).items():
        auditor.goto(path)
        auditor.wait_for_load_state("networkidle")
        for summary in auditor.locator(".more-filters > summary, .log-tops > summary, .chart-numbers > summary").all():
            summary.click()
        auditor.wait_for_load_state("networkidle")
        shoot(auditor, f"log-{language}-{theme}-{width}-{name}")
        overflow = auditor.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        faults += [f"{path} scrolls sideways by {overflow} px"] if overflow > 0 else []
        violations = Axe().run(auditor).response["violations"]
        faults += [f"{path}: {one['id']}: {one['nodes'][0]['html'][:160]}" for one in violations if is_serious(one)]
    prefer(auditor, language="en", theme="system")
    auditor.set_viewport_size({"width": 1280, "height": 900})

    assert faults == []


def is_serious(violation: dict[str, str]) -> bool:
    return violation["impact"] in ("serious", "critical")


def prefer(page: Page, **choices: str) -> None:
    for name, value in choices.items():
        page.goto("/preferences/")
        token = page.locator("input[name=csrfmiddlewaretoken]").first.input_value()
        form = {name: value, "next": "/", "csrfmiddlewaretoken": token}
        assert page.request.post("/preferences/", form=form, headers={"Referer": page.url}).ok


def sign_in(page: Page) -> None:
    page.goto("/accounts/login/")
    page.locator("input[name=login]").fill("admin")
    page.locator("input[name=password]").fill(PASSWORD)
    page.locator("form button.button-primary").click()
    page.wait_for_url(lambda url: "/login" not in url)
