"""The catalogue: by category, forgiving in its search, in the reader's language; and a connector's own page."""

import pytest
from django.urls import reverse

from connectors.console.typo_search import score, split_words
from tests.builders.connectors import TEXTS, make_connection, make_connector, make_manifest

pytestmark = pytest.mark.django_db


def texts(name, chinese, description="What it does."):
    return {
        "en": TEXTS["en"] | {"name": name, "description": description},
        "zh-CN": TEXTS["zh-CN"] | {"name": chinese, "description": "说明。"},
    }


def in_category(key, category):
    manifest = make_manifest(key)
    return manifest | {"presentation": manifest["presentation"] | {"category": category}}


def found(client, **query):
    return client.get(reverse("console:catalogue"), query).content.decode()


@pytest.fixture
def shop(ann):
    make_connector("jira", texts=texts("Issue tracker", "问题跟踪"), manifest=in_category("jira", "developer"))
    make_connector("docs", texts=texts("Documents", "金山文档"), manifest=in_category("docs", "knowledge"))


def test_connectors_stand_under_their_category(client, shop):
    page = found(client)

    assert (
        page.index("<h2>Developer")
        < page.index("Issue tracker")
        < page.index("<h2>Knowledge")
        < page.index("Documents")
    )


def test_a_category_narrows_the_list(client, shop):
    page = found(client, category="developer")

    assert "Issue tracker" in page
    assert "Documents" not in page


@pytest.mark.parametrize("wanted", ["tracker", "traker", "trakcer", "ISSUE", "问题", "search_notes"])
def test_a_search_forgives_a_slip_and_knows_every_language_and_tool(client, shop, wanted):
    assert "Issue tracker" in found(client, q=wanted)


@pytest.mark.parametrize("wanted", ["金山文档", "金山", "文挡金山"])
def test_a_chinese_search_forgives_a_wrong_character(client, shop, wanted):
    page = found(client, q=wanted)

    assert "Documents" in page
    assert "Issue tracker" not in page


def test_no_match_offers_to_clear_the_filters(client, shop):
    page = found(client, q="zeppelin")

    assert "Nothing matches" in page
    assert "Clear filters" in page


def test_an_empty_catalogue_says_whom_to_ask(client, ann):
    assert "Ask an administrator" in found(client)


def test_htmx_gets_the_results_alone(client, shop):
    part = client.get(reverse("console:catalogue"), {"q": "tracker"}, headers={"HX-Target": "results"}).content.decode()

    assert "Issue tracker" in part
    assert "<html" not in part


def test_the_readers_language_is_used(client, shop, ann):
    ann.language = "zh-hans"
    ann.save()

    assert "问题跟踪" in found(client)


def test_my_account_is_marked_on_the_card(client, ann):
    make_connection(ann, make_connector())

    assert "Connected" in found(client)


def test_a_draft_is_not_in_the_catalogue(client, ann):
    make_connector("draft-one", published=False, texts=texts("Unfinished", "未完成"))

    assert "Unfinished" not in found(client)


def test_a_connectors_page_shows_what_its_manifest_says(client, ann):
    manifest = make_manifest("full")
    manifest["presentation"] |= {
        "sections": [
            {"type": "notice", "title_key": "notice", "items": []},
            {"type": "capability_list", "title_key": "can", "items": [{"title_key": "can.search"}]},
            {"type": "example_list", "title_key": "examples", "items": [{"title_key": "example.one"}]},
            {
                "type": "help_links",
                "title_key": "help",
                "items": [{"title_key": "help.manual", "url": "https://docs.example.com/"}],
            },
        ]
    }
    words = {
        "notice": "Only on weekdays",
        "can": "What it can do",
        "can.search": "Search notes",
        "examples": "Try this",
        "example.one": "Find my last note",
        "help": "Help",
        "help.manual": "Manual",
    }
    make_connector("full", manifest=manifest, texts={"en": TEXTS["en"] | words})

    page = client.get(reverse("console:catalogue_connector", args=["full"])).content.decode()

    for words_shown in (
        "Only on weekdays",
        "Search notes",
        "Find my last note",
        "https://docs.example.com/",
        "Asks first",
    ):
        assert words_shown in page


def test_a_packages_text_cannot_become_markup(client, ann):
    make_connector("evil", texts=texts("<script>alert(1)</script>", "x"))

    for url in (reverse("console:catalogue"), reverse("console:catalogue_connector", args=["evil"])):
        assert "<script>alert" not in client.get(url).content.decode()


def test_a_better_match_scores_higher():
    words = split_words("Notebook for records")
    exact = score("notebook", name="Notebook", words=words)

    assert exact > score("notbook", name="Notebook", words=words) > 0


def test_short_words_must_be_right():
    assert score("cat", name="Car", words={"car"}) == 0


def test_words_are_split_at_capitals_and_marks():
    assert split_words("getUserName search_notes 查询 笔记") == {
        "get",
        "user",
        "name",
        "search",
        "notes",
        "查询",
        "笔记",
    }
