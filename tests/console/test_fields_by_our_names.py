"""A package may call its fields whatever it likes: none of them is taken for what our forms send along themselves."""

import re

import pytest
from bs4 import BeautifulSoup
from django.core.files.uploadedfile import SimpleUploadedFile

from connectors.catalogue.models import Connector
from connectors.console.forms.connect import ALIAS
from connectors.lifecycle.models import Drain
from connectors.manifest.fields import Field
from tests.builders.packages import ENDPOINT_FIELD
from tests.builders.versions import ENDPOINT, Workshop

pytestmark = pytest.mark.django_db
FIELD_KEY = re.compile(next(part.pattern for part in Field.model_fields["key"].metadata if hasattr(part, "pattern")))
NAMES = ["revision", "archive_sha256", "submission", "reauthorize", "accept", "drain"]
LABEL = {"type": "text", "label_key": "configuration.endpoint.label"}
FIELDS = {"fields": [ENDPOINT_FIELD, *({"key": name, "default": "yes", **LABEL} for name in NAMES)]}
RISKY = {"tool": "erase_all", "effect": "destructive", "retry": "never", "confirmation": "user_required"}


@pytest.fixture
def workshop(tmp_path, settings):
    settings.OBJECT_STORE_DIR = tmp_path / "objects"
    return Workshop(tmp_path)


def send(admin, archive, address: str) -> str:
    return admin.post(address, {"package": SimpleUploadedFile(archive.name, archive.read_bytes())})["Location"]


def filled(answer, ending: str = "") -> dict[str, list[str] | str]:
    """What the page's form would send as it stands."""
    (form,) = (
        form
        for form in BeautifulSoup(answer.content, "html.parser").select("main form[method=post]")
        if form.find("button", class_="button-primary") and str(form.get("action", "")).endswith(ending)
    )
    return {
        field["name"]: field.get("value", "") for field in form.select("input:not([type=checkbox]):not([type=radio])")
    }


def ours(answer) -> set[str]:
    page = BeautifulSoup(answer.content, "html.parser")
    found = {field["name"] for field in page.select("main form[method=post] [name]")}
    return found - {"csrfmiddlewaretoken", "endpoint", *NAMES}


def test_what_our_forms_send_along_has_names_no_field_can_have(admin, workshop):
    staged = send(admin, workshop.pack(configuration=FIELDS), "/install/")
    pages = [admin.get(f"{staged}configure/")]
    workshop.install(configuration=FIELDS)
    pages.append(admin.get("/connectors/records/configuration/"))
    rules = {"default": "deny", "rules": [RISKY]}
    pages.append(
        admin.get(
            send(admin, workshop.pack("1.1.0", configuration=FIELDS, tool_policy=rules), "/connectors/records/update/")
        )
    )

    for page in pages:
        assert page.status_code == 200
        assert ours(page)
        assert [name for name in ours(page) if FIELD_KEY.fullmatch(name)] == []


def test_such_a_package_is_installed_configured_and_updated(admin, workshop):
    staged = send(admin, workshop.pack(configuration=FIELDS), "/install/")
    page = admin.get(f"{staged}configure/")
    assert admin.post(f"{staged}commit/", filled(page) | ENDPOINT).status_code == 302
    address = "/connectors/records/configuration/"
    assert admin.post(address, filled(admin.get(address)) | {"revision": "main"}).status_code == 302
    assert Connector.objects.get().configuration["revision"] == "main"
    address = send(admin, workshop.pack("1.1.0", configuration=FIELDS), "/connectors/records/update/")

    assert admin.post(address, filled(admin.get(address))).status_code == 302

    assert not Drain.objects.exists()
    assert Connector.objects.get().version.version == "1.1.0"


def test_a_field_cannot_tick_a_risk_of_its_own_package(admin, workshop):
    workshop.install()
    rules = {"default": "deny", "rules": [RISKY]}
    plain = send(admin, workshop.pack("1.1.0", tool_policy=rules), "/connectors/records/update/")
    (risk,) = BeautifulSoup(admin.get(plain).content, "html.parser").select("input[name=accepted-risk]")
    sly = {"fields": [ENDPOINT_FIELD, {"key": "accept", "default": risk["value"], **LABEL}]}
    address = send(admin, workshop.pack("1.2.0", tool_policy=rules, configuration=sly), "/connectors/records/update/")

    assert admin.post(address, filled(admin.get(address))).status_code == 422

    assert Connector.objects.get().version.version == "1.0.0"


def test_the_name_of_an_account_is_asked_under_one_as_well():
    assert not FIELD_KEY.fullmatch(ALIAS)
