"""Who sees a connector, and how many."""

import pytest

from connectors.audit.models import AdminEvent
from connectors.catalogue.publication import disable_connector, publish_connector
from connectors.catalogue.queries import find_connector, find_visible, is_visible, reach, visible_connectors
from connectors.catalogue.visibility import set_visibility
from connectors.errors import Conflict, NotFound
from tests.builders.connectors import make_connector
from tests.builders.people import make_administrator, make_team, make_user

pytestmark = pytest.mark.django_db


def test_everyone_sees_a_published_connector_and_nobody_a_draft():
    person = make_user()
    published, draft = make_connector(), make_connector(published=False)
    assert list(visible_connectors(person)) == [published]
    assert not is_visible(draft, person)


def test_chosen_teams_and_people_see_it_and_nobody_else():
    member, named, other = make_user(), make_user(), make_user()
    connector = make_connector(everyone=False, teams=[make_team("", member, named)], people=[named])
    assert is_visible(connector, member)
    assert list(visible_connectors(named)) == [connector]
    assert not is_visible(connector, other)
    assert reach(connector) == 2


def test_a_deactivated_person_sees_nothing_and_is_not_counted():
    person = make_user(is_active=False)
    connector = make_connector(everyone=False, people=[person])
    assert not is_visible(connector, person)
    assert reach(connector) == 0
    assert reach(make_connector()) == 0


def test_absent_and_invisible_look_the_same():
    connector = make_connector(everyone=False)
    for key in (connector.key, "absent"):
        with pytest.raises(NotFound) as caught:
            find_visible(make_user(), key)
        assert caught.value.code == "connector_not_found"
    assert find_connector(connector.key) == connector
    with pytest.raises(NotFound):
        find_connector("absent")


def test_visibility_is_replaced_and_recorded():
    admin, person, team = make_administrator(), make_user("mei"), make_team("Design")
    connector = make_connector()
    set_visibility(connector=connector, everyone=False, teams=[team], people=[person], actor=admin)
    assert is_visible(connector, person)
    assert not is_visible(connector, admin)
    event = AdminEvent.objects.get()
    assert event.before == {"everyone": True, "teams": [], "people": []}
    assert event.after == {"everyone": False, "teams": ["Design"], "people": ["mei"]}
    set_visibility(connector=connector, everyone=False, teams=[team], people=[person], actor=admin)
    assert AdminEvent.objects.count() == 1


def test_a_draft_is_published_withdrawn_and_published_again():
    admin = make_administrator()
    connector = make_connector(published=False)
    published = publish_connector(connector=connector, actor=admin)
    assert published.status == "published"
    assert published.published_at is not None
    assert disable_connector(connector=connector, actor=admin).status == "disabled"
    assert publish_connector(connector=connector, actor=admin).status == "published"
    acts = list(AdminEvent.objects.order_by("id").values_list("act", flat=True))
    assert acts == ["connector_published", "connector_disabled", "connector_published"]


def test_doing_it_twice_is_one_event():
    connector = make_connector(published=False)
    for _ in range(2):
        publish_connector(connector=connector, actor=None)
    for _ in range(2):
        disable_connector(connector=connector, actor=None)
    assert AdminEvent.objects.count() == 2


def test_a_draft_cannot_be_withdrawn():
    with pytest.raises(Conflict, match="connector_not_published"):
        disable_connector(connector=make_connector(published=False), actor=None)


def test_visible_connectors_take_one_query_however_many(django_assert_num_queries):
    person = make_user()
    team = make_team("", person)
    for _ in range(5):
        make_connector(everyone=False, teams=[team], people=[person])
    with django_assert_num_queries(1):
        assert len({(found.version.version, found.category.key) for found in visible_connectors(person)}) == 1
