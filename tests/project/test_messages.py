"""The message catalogues are complete, and the check can tell when they are not."""

from pathlib import Path

from django.conf import settings

from connectors.management.messages import catalog_path, extract_catalog, untranslated, update_catalog

_HEADER = 'msgid ""\nmsgstr ""\n"Language: zh_Hans\\n"\n"Content-Type: text/plain; charset=utf-8\\n"\n'


def make_project(root: Path, *, catalog: str = "") -> Path:
    for folder in ("connectors", "poco", "templates"):
        (root / folder).mkdir()
    (root / "connectors" / "page.py").write_text('title = gettext("Agents")\n')
    (root / "templates" / "page.html").write_text(
        '{% load i18n %}{% translate "Calls" %}{% blocktranslate count n=n %}{{ n }} call{% plural %}{{ n }} calls'
        "{% endblocktranslate %}"
    )
    catalog_path(root).parent.mkdir(parents=True)
    catalog_path(root).write_text(_HEADER + catalog)
    return root


def test_texts_are_found_in_code_and_in_templates(tmp_path: Path) -> None:
    ids = {str(message.id) for message in extract_catalog(make_project(tmp_path)) if message.id}
    assert ids == {"Agents", "Calls", "('%(n)s call', '%(n)s calls')"}


def test_a_templates_indentation_does_not_matter(tmp_path: Path) -> None:
    root = make_project(tmp_path)
    (root / "templates" / "odd.html").write_text(
        '{% load i18n %}\n    <p\n  title="{% translate "Near" %}">\n {% translate "Far" %}\n      </p>\n'
    )
    assert {"Near", "Far"} <= {str(message.id) for message in extract_catalog(root)}


def test_a_text_without_translation_is_named(tmp_path: Path) -> None:
    root = make_project(tmp_path, catalog='\nmsgid "Agents"\nmsgstr "智能体"\n\nmsgid "Calls"\nmsgstr ""\n')
    assert {str(message.id) for message in untranslated(root)} == {"Calls", "('%(n)s call', '%(n)s calls')"}


def test_updating_keeps_translations_and_drops_texts_that_are_gone(tmp_path: Path) -> None:
    root = make_project(tmp_path, catalog='\nmsgid "Agents"\nmsgstr "智能体"\n\nmsgid "Gone"\nmsgstr "已删"\n')
    update_catalog(root)
    text = catalog_path(root).read_text()
    assert "智能体" in text
    assert "Gone" not in text
    assert "Calls" in text


def test_every_text_of_the_console_has_its_chinese() -> None:
    assert [message.id for message in untranslated(settings.BASE_DIR)] == []
