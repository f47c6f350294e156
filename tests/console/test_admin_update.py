"""Update: the difference first, each raised risk ticked, people told of, new fields asked for, nothing else committed."""

import re

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from connectors.audit.models import AdminEvent
from connectors.catalogue.configuration import open_configuration, save_configuration
from connectors.catalogue.models import Connector
from connectors.lifecycle.models import Drain
from connectors.packages.models import StagedPackage
from tests.builders.booking import PROVIDER, install_booking
from tests.builders.connectors import make_agent, make_connection
from tests.builders.packages import ENDPOINT_FIELD, build_manifest, build_package, build_static_manifest
from tests.builders.people import make_administrator, make_user
from tests.builders.runs import make_run
from tests.builders.versions import ENDPOINT
from tests.fakes.mcp_server import McpServer, tool

pytestmark = pytest.mark.django_db
SECRET = "s3cret-never-shown"
RULES = build_manifest()["tool_policy"]["rules"]
TOKEN = {"key": "token", "type": "secret", "label_key": "configuration.token.label", "required": True}
REGION = {"key": "region", "type": "text", "label_key": "configuration.region.label", "required": True}
DRAINED = {"tool": "purge_all", "effect": "destructive", "retry": "never", "confirmation": "user_required"}
EXPORT = {"tool": "export_all", "effect": "read", "retry": "safe"}


def fields(*declared):
    return {"fields": [ENDPOINT_FIELD, *declared]}


def policy(*more):
    return {"default": "deny", "rules": [*RULES, *more]}


def send(admin, archive, address: str = "/connectors/records/update/"):
    """Upload and return where it leads."""
    content = SimpleUploadedFile(archive.name, archive.read_bytes())
    return admin.post(address, {"package": content})["Location"]


def text_of(answer) -> str:
    return re.sub(r"\s+", " ", answer.content.decode())


def hidden(page: str) -> dict[str, str]:
    """What the form on the page carries along."""
    names = ("form-mark", "archive-sha256", "seen-revision", "seen-reauthorize")
    return {name: re.search(rf'name="{name}" value="([^"]*)"', page).group(1) for name in names}


def risks(page: str) -> list[str]:
    return re.findall(r'name="accepted-risk" value="([^"]*)"', page)


OURS = {"accept": "accepted-risk", "drain": "drain-first", "archive_sha256": "archive-sha256"}


def commit(admin, address: str, **typed):
    page = text_of(admin.get(address))
    return admin.post(address, hidden(page) | {OURS.get(name, name): value for name, value in typed.items()})


def current() -> str:
    return Connector.objects.select_related("version").get(key="records").version.version


def test_an_upload_through_update_leads_to_the_difference(admin, workshop):
    workshop.install()
    page = text_of(admin.get(send(admin, workshop.pack("1.1.0", tool_policy=policy(EXPORT)))))
    assert "Update name (en) to 1.1.0" in page
    assert page.index("new tool export_all (read)") < page.index("version 1.0.0 → 1.1.0")
    assert "manifest.json" in page
    assert current() == "1.0.0"


def test_a_known_key_on_install_leads_to_the_same_page(admin, workshop):
    workshop.install()
    preview = send(admin, workshop.pack("1.1.0"), "/install/")
    assert re.fullmatch(r"/connectors/records/update/[0-9a-f-]{36}/", admin.get(preview)["Location"])


def test_committing_updates_and_shows_what_changed(admin, workshop):
    workshop.install()
    answer = commit(admin, send(admin, workshop.pack("1.1.0")))
    assert answer["Location"] == "/connectors/records/?since=1.0.0"
    page = text_of(admin.get(answer["Location"]))
    assert "What changed from 1.0.0 to 1.1.0" in page
    assert "version 1.0.0 → 1.1.0" in page
    assert current() == "1.1.0"


def test_each_raised_risk_has_a_box_and_a_sentence_of_its_own(admin, workshop):
    workshop.install()
    page = text_of(admin.get(send(admin, workshop.pack("1.1.0", tool_policy=policy(EXPORT, DRAINED)))))
    assert len(risks(page)) == 2
    assert "new tool export_all (read)" in page
    assert "new tool purge_all (destructive)" in page


def test_a_risk_that_is_not_ticked_refuses_all_and_ticks_stay(admin, workshop):
    workshop.install()
    address = send(admin, workshop.pack("1.1.0", tool_policy=policy(EXPORT, DRAINED)))
    first, second = risks(text_of(admin.get(address)))
    answer = commit(admin, address, accept=[first])
    page = text_of(answer)
    assert answer.status_code == 422
    assert "Not every raised risk is ticked." in page
    assert current() == "1.0.0"
    assert re.search(rf'value="{re.escape(first)}" checked', page)
    assert not re.search(rf'value="{re.escape(second)}" checked', page)
    assert commit(admin, address, accept=[first, second]).status_code == 302


def test_faults_are_told_beside_risks_that_are_not_ticked(admin, workshop):
    workshop.install()
    archive = workshop.pack("1.1.0", tool_policy=policy(EXPORT), configuration=fields(REGION))
    page = text_of(commit(admin, send(admin, archive), region=""))
    assert 'href="#tick-1"' in page
    assert 'href="#field-region"' in page


def test_how_many_people_must_authorize_again_is_said_with_their_names(admin, workshop):
    connector = workshop.install(document=build_static_manifest())
    for name in ("Mei Chen", "Noor Haddad"):
        make_connection(make_user(display_name=name), connector)
    page = text_of(
        admin.get(
            send(admin, workshop.pack("1.1.0", document=build_static_manifest(authorization_contract_version="2")))
        )
    )
    assert "2 people must authorize again" in page
    assert "Mei Chen" in page
    assert "Noor Haddad" in page
    assert hidden(page)["seen-reauthorize"] == "2"


def test_a_text_change_sends_nobody_to_authorize_again(admin, workshop):
    connector = workshop.install()
    make_connection(make_user(), connector)
    page = text_of(admin.get(send(admin, workshop.pack("1.1.0"))))
    assert "Nobody must authorize again." in page


def test_another_number_of_people_than_was_shown_is_not_committed(admin, workshop):
    connector = workshop.install(document=build_static_manifest())
    address = send(admin, workshop.pack("1.1.0", document=build_static_manifest(authorization_contract_version="2")))
    shown = hidden(text_of(admin.get(address)))
    make_connection(make_user(), connector)
    answer = admin.post(address, shown)
    page = text_of(answer)
    assert answer.status_code == 409
    assert "The number of people who must authorize again is 1, not 0 as the page said." in page
    assert hidden(page)["seen-reauthorize"] == "1"
    assert current() == "1.0.0"
    assert admin.post(address, hidden(page)).status_code == 302


def test_only_new_fields_are_asked_for_and_kept_and_dropped_ones_are_named(admin, workshop):
    old = {"key": "old", "type": "text", "label_key": "configuration.old.label"}
    workshop.install(values=ENDPOINT | {"token": SECRET, "old": "gone"}, configuration=fields(TOKEN, old))
    page = text_of(admin.get(send(admin, workshop.pack("1.1.0", configuration=fields(TOKEN, REGION)))))
    asked = page.split("This version asks for")[1].split("fields keep their values")[0]
    assert "configuration.region.label" in asked
    assert "configuration.token.label" not in asked
    assert "2 fields keep their values" in page
    assert f'value="{ENDPOINT["endpoint"]}"' in page
    assert "1 field is gone in this version; its value is cleared:" in page
    assert "<li> <s>configuration.old.label (en)</s> </li>" in page
    assert SECRET not in page


def test_what_no_roll_back_brings_back_is_said_before_it_goes(admin, workshop):
    workshop.install(values=ENDPOINT | {"token": SECRET}, configuration=fields(TOKEN))
    page = text_of(admin.get(send(admin, workshop.pack("1.1.0", configuration=fields()))))
    assert "<s>configuration.token.label (en)</s> <span>(secret)</span>" in page
    assert "a roll back does not bring them back, and secrets have to be typed again then" in page


def test_a_missing_new_field_is_told_and_what_was_typed_stays(admin, workshop):
    workshop.install(values=ENDPOINT | {"token": SECRET}, configuration=fields(TOKEN))
    address = send(admin, workshop.pack("1.1.0", configuration=fields(TOKEN, REGION)))
    answer = commit(admin, address, region="", endpoint="https://typed.example.com/mcp", token="typed-secret")
    page = text_of(answer)
    assert answer.status_code == 422
    assert "data-takes-focus" in page
    assert 'value="https://typed.example.com/mcp"' in page
    assert "typed-secret" not in page
    assert current() == "1.0.0"


def test_what_is_filled_in_is_saved_and_a_blank_secret_stays(admin, workshop):
    workshop.install(values=ENDPOINT | {"token": SECRET}, configuration=fields(TOKEN))
    address = send(admin, workshop.pack("1.1.0", configuration=fields(TOKEN, REGION)))
    assert commit(admin, address, region="eu", token="", **ENDPOINT).status_code == 302
    opened = open_configuration(Connector.objects.get())
    assert opened.public["region"] == "eu"
    assert opened.secrets["token"].reveal() == SECRET


def test_the_same_version_through_update_is_refused(admin, workshop):
    workshop.install()
    answer = admin.get(send(admin, workshop.pack("1.0.0")))
    assert answer.status_code == 409
    assert "Version 1.0.0 of records is in use already." in text_of(answer)


def test_the_same_bytes_through_install_say_so(admin, workshop):
    workshop.install()
    assert "installed already" in text_of(admin.get(send(admin, workshop.pack("1.0.0"), "/install/")))


def test_a_lower_version_is_refused_with_the_way_back(admin, workshop):
    workshop.install()
    commit(admin, send(admin, workshop.pack("1.1.0")))
    answer = admin.get(send(admin, workshop.pack("1.0.0")))
    page = text_of(answer)
    assert answer.status_code == 409
    assert "An update never goes back." in page
    assert 'href="/connectors/records/versions/1.0.0/roll-back/"' in page
    assert "/connectors/records/versions/" in text_of(admin.get(send(admin, workshop.pack("1.0.0"), "/install/")))


def test_the_same_version_with_other_content_is_refused(admin, workshop):
    workshop.install()
    answer = admin.get(send(admin, workshop.pack("1.0.0", connection_policy="multiple_per_user")))
    assert answer.status_code == 409
    assert "with other content" in text_of(answer)


def test_a_package_of_another_key_is_refused(admin, workshop):
    workshop.install()
    answer = admin.get(send(admin, workshop.pack("1.1.0", key="notes")))
    assert answer.status_code == 409
    assert "This is a package of notes, not of records." in text_of(answer)


def test_a_broken_package_tells_its_faults(admin, workshop):
    workshop.install()
    page = text_of(admin.get(send(admin, workshop.pack("1.1.0", default_locale="fr")), follow=True))
    assert "Refused: " in page


def test_a_digest_that_was_not_shown_is_not_committed(admin, workshop):
    workshop.install()
    answer = commit(admin, send(admin, workshop.pack("1.1.0")), archive_sha256="0" * 64)
    assert answer.status_code == 409
    assert "not the one you were shown" in text_of(answer)
    assert current() == "1.0.0"


def test_a_configuration_saved_meanwhile_is_told_and_taken_over(admin, workshop):
    connector = workshop.install(values=ENDPOINT | {"region": "eu"}, configuration=fields(REGION))
    address = send(admin, workshop.pack("1.1.0", configuration=fields(REGION)))
    shown = hidden(text_of(admin.get(address))) | ENDPOINT | {"region": "eu"}
    bob = make_administrator(display_name="Bob")
    save_configuration(connector=connector, raw=ENDPOINT | {"region": "us"}, expected_revision=1, actor=bob)
    answer = admin.post(address, shown)
    page = text_of(answer)
    assert answer.status_code == 409
    assert "The configuration was changed while this page was open." in page
    assert "<code>region</code>: eu → us" in page
    assert "· Bob ·" in page
    assert 'name="region" value="us"' in page
    assert current() == "1.0.0"
    assert admin.post(address, hidden(page) | ENDPOINT | {"region": "us"}).status_code == 302
    assert Connector.objects.get().configuration["region"] == "us"


def test_two_clicks_update_once_and_the_second_is_led_to_the_connector(admin, workshop):
    workshop.install()
    address = send(admin, workshop.pack("1.1.0"))
    shown = hidden(text_of(admin.get(address)))
    assert admin.post(address, shown).status_code == 302
    assert admin.post(address, shown)["Location"] == "/connectors/records/"
    assert AdminEvent.objects.filter(act="connector_updated").count() == 1


def test_another_administrators_upload_does_not_exist(admin, workshop):
    workshop.install()
    address = send(admin, workshop.pack("1.1.0"))
    other = Client()
    other.force_login(make_administrator())
    assert other.get(address).status_code == 404
    assert other.post(address, {"archive-sha256": StagedPackage.objects.get().archive_sha256}).status_code == 404


def test_the_new_version_is_tested_with_what_is_typed_and_nothing_is_stored(admin, workshop):
    workshop.install(values=ENDPOINT | {"token": SECRET}, configuration=fields(TOKEN))
    address = send(admin, workshop.pack("1.1.0", configuration=fields(TOKEN, REGION)))
    with McpServer(tools=[tool("search")]) as server:
        typed = {"endpoint": server.url, "region": "eu"}
        part = admin.post(f"{address}test/", typed, headers={"HX-Target": "test-report"})
        whole = admin.post(f"{address}test/", typed)
    assert "It works" in text_of(part)
    assert "<html" not in text_of(part)
    assert f'value="{server.url}"' in text_of(whole)
    assert SECRET not in text_of(whole)
    assert current() == "1.0.0"


def test_while_it_is_used_the_page_lists_who_what_since_when_and_offers_to_drain(admin, workshop):
    connector = workshop.install()
    agent, _token = make_agent(make_user(display_name="Mei Chen"), "Nightly")
    make_run(agent, connector)
    address = send(admin, workshop.pack("1.1.0"))
    page = text_of(admin.get(address))
    for told in ("Mei Chen", "Nightly", "<time", "Drain and update"):
        assert told in page
    answer = commit(admin, address)
    assert answer.status_code == 409
    assert "records is in use at this moment." in text_of(answer)
    assert current() == "1.0.0"


def test_draining_waits_with_the_change_and_leads_to_the_connector(admin, workshop):
    connector = workshop.install()
    make_run(make_agent(make_user())[0], connector)
    answer = commit(admin, send(admin, workshop.pack("1.1.0")), drain="yes")
    assert answer["Location"] == "/connectors/records/"
    drain = Drain.objects.get()
    assert (drain.kind, drain.state, drain.target_version) == ("update", "waiting", "1.1.0")
    assert "Draining: the update to 1.1.0 starts by itself" in text_of(admin.get("/connectors/records/"))


def test_a_store_that_is_away_is_told_and_changes_nothing(admin, workshop, tmp_path):
    workshop.install()
    address = send(admin, workshop.pack("1.1.0"))
    admin.get(address)
    (tmp_path / "no-folder").write_text("")
    page = text_of(admin.get(address))
    stored, settings.OBJECT_STORE_DIR = settings.OBJECT_STORE_DIR, tmp_path / "no-folder"
    try:
        answer = admin.post(address, hidden(page))
    finally:
        settings.OBJECT_STORE_DIR = stored
    assert answer.status_code == 502
    assert "The object store does not answer." in text_of(answer)
    assert current() == "1.0.0"


def test_the_page_asks_as_often_for_twelve_people_as_for_two(admin, workshop):
    connector = workshop.install(document=build_static_manifest())
    address = send(admin, workshop.pack("1.1.0", document=build_static_manifest(authorization_contract_version="2")))

    def grow(number: int) -> None:
        for _ in range(number):
            person = make_user()
            make_connection(person, connector)
            make_run(make_agent(person)[0], connector)

    def count() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert admin.get(address).status_code == 200
        return len(queries)

    grow(2)
    count()
    few = count()
    grow(10)
    assert count() <= few


@pytest.fixture
def booking(tmp_path):
    """A program package in use; its identity is the address it is configured with."""
    connector = install_booking(tmp_path)
    make_connection(make_user(display_name="Mei Chen"), connector)
    manifest = {**connector.version.manifest, "package_version": "1.1.0"}
    source = {"provider/main.py": f"BOOK_EFFECT = 'write'\n{PROVIDER}"}
    return build_package(tmp_path / "booking-1.1.0.zip", manifest=manifest, files=source)


def test_what_the_new_versions_program_refuses_is_told_in_its_words(admin, booking):
    address = send(admin, booking, "/connectors/booking/update/")
    answer = commit(admin, address, endpoint="https://booking.example.com/wrong")
    assert answer.status_code == 422
    assert "there is no such service" in text_of(answer)


def test_a_number_only_the_program_knows_is_said_before_it_is_committed(admin, booking):
    address = send(admin, booking, "/connectors/booking/update/")
    assert "as far as can be told before the package's program is asked" in text_of(admin.get(address)).replace(
        "&#x27;", "'"
    )
    answer = commit(admin, address, endpoint="https://booking.example.com/elsewhere")
    page = text_of(answer)
    assert answer.status_code == 409
    assert "1 person must authorize again" in page
    assert "Mei Chen" in page
    assert admin.post(address, hidden(page) | {"endpoint": "https://booking.example.com/elsewhere"}).status_code == 302
