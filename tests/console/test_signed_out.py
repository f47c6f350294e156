"""What a page asks for after its session has ended."""

import pytest
from django.urls import reverse

pytestmark = pytest.mark.django_db


def test_a_page_that_listens_is_led_to_sign_in_and_back_to_its_filters(client):
    page = f"http://testserver{reverse('console:my_calls')}?tool=a&range=1h"
    answer = client.get(
        reverse("console:my_calls"),
        headers={"HX-Request": "true", "HX-Target": "rows-new", "HX-Current-URL": page},
    )

    assert answer.headers["HX-Redirect"] == "/accounts/login/?next=%2Fmy%2Fcalls%2F%3Ftool%3Da%26range%3D1h"
    assert answer.content == b""


def test_it_is_never_led_anywhere_else(client):
    headers = {"HX-Request": "true", "HX-Current-URL": "https://evil.example//evil.example/x"}
    answer = client.get(reverse("console:my_calls"), headers=headers)

    assert answer.headers["HX-Redirect"] == "/accounts/login/?next=%2F"


def test_a_whole_page_is_redirected_as_ever(client):
    assert client.get(reverse("console:my_calls")).headers["Location"].startswith("/accounts/login/?next=")
