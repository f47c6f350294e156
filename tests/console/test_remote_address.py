"""Where an act was asked for from: the address the server gives, for that request only."""

import pytest
from django.urls import reverse

from connectors.audit.models import AdminEvent
from connectors.audit.remote_address import coming_from, current_address
from tests.builders.connectors import make_agent


@pytest.mark.django_db
def test_an_event_holds_the_address_of_the_request_and_no_header_counts(client):
    agent, _token = make_agent()
    client.force_login(agent.owner)
    headers = {"REMOTE_ADDR": "192.0.2.44", "HTTP_X_FORWARDED_FOR": "10.0.0.1"}
    client.post(reverse("console:agent_retire", args=[agent.pk]), **headers)
    assert AdminEvent.objects.get(act="agent_retired").remote_address == "192.0.2.44"
    assert current_address() == ""


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("2001:DB8::1", "2001:db8::1"),
        ("fe80::1%eth0", "fe80::1"), ("testclient", ""), ("", ""), ("1.2.3.4, 5.6.7.8", ""), ("<b>", ""),
    ],
)  # fmt: skip
def test_only_an_address_counts(given, told):
    with coming_from(given):
        assert current_address() == told
    assert current_address() == ""
