"""What a hostile package shows, an icon or a Skill, runs nothing and asks nobody (safety.md, 7)."""

import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from connectors.packages.assets import sniff_type
from tests.builders.packages import build_manifest, build_package

DOCTYPE = '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "{canary}/dtd">'
STYLESHEET = '<?xml-stylesheet href="{canary}/sheet" type="text/css"?>'
TRANSFORM = '<?xml-stylesheet href="{canary}/transform" type="text/xsl"?>'
CALL = "fetch('{canary}/ran'); new Image().src='{canary}/ran'; top.document.title='ran'"
ICONS = {
    "script": f"<script>{CALL}</script>",
    "script from elsewhere": '<script href="{canary}/script.js"/>',
    "handlers": f'<rect width="9" height="9" onclick="{CALL}"><set attributeName="x" onbegin="{CALL}"/></rect>',
    "image": '<image href="{canary}/image.png" width="9" height="9"/>',
    "use": '<use href="{canary}/use.svg#a"/>',
    "style": '<style>@import "{canary}/import.css"; rect {{ fill: url("{canary}/fill.svg#a") }} '
    '@font-face {{ font-family: x; src: url("{canary}/font") }} text {{ font-family: x }}</style>'
    '<rect width="9" height="9"/><text>x</text>',
    "filter": '<filter id="f"><feImage href="{canary}/filter.png"/></filter><rect width="9" height="9" filter="url(#f)"/>',
    "foreign object": '<foreignObject width="99" height="99"><body xmlns="http://www.w3.org/1999/xhtml">'
    f'<img src="{{canary}}/img" onerror="{CALL}"/><iframe src="{{canary}}/frame"></iframe>'
    '<object data="{canary}/object"></object><embed src="{canary}/embed"/><video src="{canary}/video" autoplay=""/>'
    '<form action="{canary}/form"><input autofocus="" onfocus="this.form.submit()"/></form>'
    '<meta http-equiv="refresh" content="0; url={canary}/refresh"/><link rel="stylesheet" href="{canary}/link"/>'
    '<link rel="prefetch" href="{canary}/prefetch"/><link rel="dns-prefetch" href="{canary}"/></body></foreignObject>',
    "link by itself": '<a href="{canary}/followed"><animate attributeName="href" to="javascript:alert(1)"/></a>',
}
SKILL = """---
name: <img src={canary}/name onerror=alert(1)>
description: "<script>fetch('{canary}/description')</script>"
---
# Skill <script>fetch('{canary}/script')</script>

![image]({canary}/image) <img src="{canary}/tag" onerror="fetch('{canary}/error')"> <iframe src="{canary}/frame"></iframe>

[script](javascript:fetch('{canary}/link')) [data](data:text/html,<script>alert(1)</script>) <javascript:alert(1)>
[entity](java&#115;cript:alert(1)) [vb](vbscript:x) [file](file:///etc/passwd) [relative](//{host}/relative)

<style>@import "{canary}/style";</style> <svg onload="fetch('{canary}/svg')"></svg> <form action="{canary}/form"><button>

[id]: {canary}/reference "title\\" onmouseover=alert(1)"
[plain][id]
"""


class Canary:
    """A server on loopback that remembers who asked for what."""

    def __init__(self) -> None:
        asked = self.asked = list[str]()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.path)
                self.send_response(204)
                self.end_headers()

            do_POST = do_GET  # noqa: N815 - the name http.server calls

            def log_message(self, *_args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.host = f"127.0.0.1:{self.server.server_address[1]}"
        self.address = f"http://{self.host}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture(scope="module")
def canary() -> Iterator[Canary]:
    made = Canary()
    yield made
    made.server.shutdown()
    made.server.server_close()


def make_icon(name: str, canary: Canary) -> str:
    """One hostile drawing; the one called `everything` holds them all."""
    bodies = ICONS.values() if name == "everything" else [ICONS[name]]
    root = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" onload="{CALL}">{"".join(bodies)}</svg>'
    # A stylesheet of XSLT may make any document of the icon; it is refused elsewhere or must be inert here.
    return f"{STYLESHEET}{TRANSFORM if name == 'everything' else ''}{DOCTYPE}{root}".format(canary=canary.address)


def upload(page: Page, path: Path) -> None:
    page.goto("/install/")
    page.locator("input[type=file]").set_input_files(path)
    page.wait_for_url(re.compile(r"/install/[0-9a-f-]{36}/"))


@pytest.mark.parametrize("name", [*ICONS, "everything"])
def test_a_hostile_icon_runs_nothing_and_asks_nobody(name: str, admin: Page, canary: Canary, tmp_path: Path) -> None:
    key = f"icon-{re.sub('[^a-z]', '-', name)}"
    icon = make_icon(name, canary)
    assert sniff_type(icon.encode()) == "image/svg+xml"  # it is taken: what follows is what protects
    upload(
        admin, build_package(tmp_path / f"{key}.zip", manifest=build_manifest(key=key), files={"assets/icon.svg": icon})
    )
    expect(admin.locator(".connector-icon img")).to_be_attached()
    admin.get_by_role("link", name="Continue to configuration").first.click()
    admin.locator("input[name=endpoint]").fill("https://mcp.example.com/mcp")
    admin.get_by_role("button", name="Install as a draft").click()
    admin.wait_for_url(f"**/connectors/{key}/")
    address = admin.locator(".connector-icon img").first.get_attribute("src")
    assert address is not None
    admin.wait_for_load_state("networkidle")
    opened = admin.context.new_page()  # as a document of its own, where an image's rules do not protect
    answer = opened.goto(address)
    assert answer is not None
    assert answer.headers["content-security-policy"] == "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    assert answer.headers["x-content-type-options"] == "nosniff"
    opened.mouse.click(5, 5)
    opened.wait_for_timeout(300)
    assert opened.title() != "ran"
    opened.close()
    assert canary.asked == []


def test_a_hostile_skill_runs_nothing_and_asks_nobody(admin: Page, canary: Canary, tmp_path: Path) -> None:
    manifest = build_manifest(key="skilled", skills=[{"key": "a", "path": "skills/a"}])
    files = {"skills/a/SKILL.md": SKILL.format(canary=canary.address, host=canary.host)}
    upload(admin, build_package(tmp_path / "skilled.zip", manifest=manifest, files=files))
    admin.locator("summary", has_text="onerror").click()
    shown = admin.locator(".rendered")
    expect(shown).to_be_visible()
    assert shown.locator("script, img, iframe, style, svg, form, button, [onmouseover], [onerror]").count() == 0
    for link in shown.locator("a[href]").all():
        assert str(link.get_attribute("href")).startswith(("http://", "https://", "mailto:"))
        assert link.get_attribute("rel") == "noopener noreferrer nofollow"
    admin.wait_for_load_state("networkidle")
    assert canary.asked == []
