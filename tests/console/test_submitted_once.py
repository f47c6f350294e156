"""What is shown once is made once, however the form is sent again."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections
from django.test import Client
from django.urls import reverse

from connectors.access.models import AgentToken
from tests.builders.connectors import make_agent
from tests.builders.people import make_user


@pytest.mark.django_db(transaction=True)
def test_two_clicks_at_once_make_one_token():
    person = make_user()
    agent, _token = make_agent(person)
    browser = Client()
    browser.force_login(person)
    address = reverse("console:token_create", args=[agent.pk])

    def click(_number: int) -> int:
        client = Client()
        client.cookies = browser.cookies
        try:
            return client.post(address, {"form-mark": "one-and-the-same"}).status_code
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(click, range(8)))

    assert sorted(statuses) == [201, *[302] * 7]
    assert AgentToken.objects.filter(agent=agent).count() == 2
