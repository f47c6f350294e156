"""SKILL.md: what is read from it, and what a browser gets of it."""

import time

import pytest

from connectors.packages.inspection import inspect_package
from connectors.packages.limits import MAX_RENDERED_BYTES
from connectors.packages.skills import SkillFault, render_markdown, split_front_matter
from tests.builders.packages import build_manifest, build_package


def test_name_and_description_are_read_from_the_front_matter():
    front = split_front_matter("---\nname: Search\ndescription: |\n  When to\n  use it.\n---\n\n# Body\n")
    assert (front.name, front.description, front.body) == ("Search", "When to use it.", "\n# Body\n")


@pytest.mark.parametrize("value", ["007", "2024-99-99", "yes", "null", "1e999", "!!python/object:os.system x", "0x1F"])
def test_every_value_stays_text(value):
    if value.startswith("!!"):
        value = "x"
    assert split_front_matter(f"---\nname: {value}\n---\n").name == value


def test_a_tag_never_makes_an_object():
    assert split_front_matter("---\nname: !!python/name:os.system x\n---\n").name == "x"


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? "])
def test_deep_nesting_is_refused_quickly(opening):
    started = time.process_time()
    with pytest.raises(SkillFault):
        split_front_matter("---\n" + opening * 3000 + "\n---\n")
    assert time.process_time() - started < 2


def test_a_line_of_dashes_further_down_is_no_front_matter():
    assert split_front_matter("# Title\n---\nname: a\n---\n").name == ""


@pytest.mark.parametrize(
    "source",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[a](javascript:alert(1))",
        "[a](data:text/html,<script>alert(1)</script>)",
        "[a](vbscript:x)",
        "![a](https://tracker.example.com/pixel.png)",
        "<iframe src=https://example.com></iframe>",
        '<a href="javascript:alert(1)">a</a>',
        "<style>body{display:none}</style>",
        '[a](https://example.com "onmouseover=alert(1)")',
        "<svg onload=alert(1)>",
    ],
)
def test_nothing_in_the_text_runs_or_is_fetched(source):
    html = render_markdown(source)
    for harm in (
        "<script",
        "<img",
        "<iframe",
        "<style",
        "<svg",
        '<a href="javascript',
        '<a href="data',
        '<a href="vbscript',
    ):
        assert harm not in html


def test_markdown_keeps_its_form():
    html = render_markdown("# Title\n\n- one\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n[a](https://example.com)\n")
    for part in ("<h1>Title</h1>", "<li>one</li>", "<td>1</td>", 'rel="noopener noreferrer nofollow"'):
        assert part in html


@pytest.mark.parametrize("unit", ["[", "![", "`", "*a ", "> ", "- ", "<a ", "](", "**", "_ ", "&", "| ", "\\", "a*_"])
def test_hostile_markdown_of_the_largest_size_is_rendered_in_time(unit):
    started = time.process_time()
    render_markdown(unit * (MAX_RENDERED_BYTES // len(unit)))
    assert time.process_time() - started < 10


def test_a_text_too_long_to_render_is_shown_as_it_is():
    html = render_markdown("<b>" + "a" * MAX_RENDERED_BYTES)
    assert html.startswith("<pre>&lt;b&gt;aaa")


def test_many_long_skills_are_not_all_rendered(tmp_path):
    skills = [{"key": f"s{n}", "path": f"skills/s{n}"} for n in range(6)]
    files = {f"{skill['path']}/SKILL.md": "# T\n" + "a" * 60_000 for skill in skills}
    package = inspect_package(build_package(tmp_path / "p.zip", manifest=build_manifest(skills=skills), files=files))
    assert [skill.markdown_html[:4] for skill in package.skills] == ["<h1>"] * 4 + ["<pre"] * 2


@pytest.mark.parametrize(
    "address", ["//evil.example.com/", "/people/", "references/more.md", "#a", "?next=x", "\\\\evil"]
)
def test_a_link_without_a_scheme_leads_nowhere(address):
    assert "href" not in render_markdown(f"[more]({address})")


@pytest.mark.parametrize(
    "text",
    [
        "*_" * 32_000,
        "|" + "a|" * 100 + "\n|" + "-|" * 100 + "\n" + "|x\n" * 15_000,
        "|" + "a|" * 100 + "\n|" + "-|" * 100 + "\n" + "x\n" * 20_000,
    ],
)
def test_markdown_made_to_be_slow_or_large_is_shown_as_it_is(text):
    assert render_markdown(text).startswith("<pre>")
    assert len(render_markdown(text)) < 10 * len(text)


def test_an_honest_table_is_rendered():
    table = "|name|value|\n|-|-|\n" + "|a|b|\n" * 300
    assert render_markdown(f"# Long\n\n{table}\n\n" + "A **bold** word. " * 500).count("<tr>") == 301
