"""Test connection of a package with a program: the program says whether it takes a configuration, and nothing is kept."""

from connectors.catalogue import connection_test
from connectors.catalogue.configuration import OpenConfiguration
from tests.builders.booking import install_booking


def ask(connector, endpoint: str):
    configuration = OpenConfiguration(public={"endpoint": endpoint})
    return connection_test.test_program(version=connector.version, configuration=configuration)


def test_a_program_accepts_or_refuses_in_its_own_words_and_nothing_is_saved(transactional_db, tmp_path):
    connector = install_booking(tmp_path)
    good = ask(connector, "https://booking.example.com/other")
    bad = ask(connector, "https://booking.example.com/wrong")
    assert (good.name, good.ok, good.code) == ("program", True, "")
    assert (bad.ok, bad.code, bad.detail) == (False, "configuration_refused", "there is no such service")
    connector.refresh_from_db()
    assert connector.configuration == {"endpoint": "https://booking.example.com/api"}
