"""Single sign-on and second factors are switched on by settings; proved in a process of their own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.flows.product import ROOT

SIGN_IN = """
import django
django.setup()
from allauth.account.models import EmailAddress
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.models import SocialAccount, SocialLogin
from django.test import Client, RequestFactory
from connectors.access.models import User

page = Client(headers={"host": "127.0.0.1"}).get("/accounts/login/").content.decode()
print("button" if "/accounts/oidc/sso/login/" in page else "no button")
request = RequestFactory().get("/")
request.session = Client().session
login = SocialLogin(user=User(username="mei", email="mei@example.com"), account=SocialAccount(provider="sso", uid="1"))
print("open" if get_adapter().is_open_for_signup(request, login) else "closed")
person = get_adapter().save_user(request, login)
print(*person.groups.values_list("name", flat=True))
"""


def run(folder: Path, *command: str) -> str:
    environment = {
        **os.environ,
        "POCO_VAR_DIR": str(folder),
        "POCO_MFA": "1",
        "POCO_OIDC_SERVER_URL": "https://identity.example.com",
        "POCO_OIDC_CLIENT_ID": "poco",
        "POCO_OIDC_CLIENT_SECRET": "s3cret",
        "DJANGO_SETTINGS_MODULE": "poco.settings",
    }
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.timeout(200)
def test_whoever_the_identity_provider_lets_in_becomes_a_person_with_the_user_role(tmp_path: Path) -> None:
    run(tmp_path, sys.executable, "manage.py", "migrate", "-v0")
    run(tmp_path, sys.executable, "manage.py", "collectstatic", "-v0", "--noinput")
    assert run(tmp_path, sys.executable, "-c", SIGN_IN).split() == ["button", "open", "user"]
