"""A package whose program does not do its part at install: why is said, what was typed stays, nothing is installed."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from connectors.catalogue.models import Connector
from connectors.console.messages import describe_error
from connectors.runtime.program_errors import ProgramUnavailable
from tests.builders.packages import build_package, build_program_manifest
from tests.builders.people import make_administrator
from tests.builders.programs import READ

pytestmark = pytest.mark.django_db
SECRET = "canary-program-secret"
FIELDS = [
    {"key": "place", "type": "text", "label_key": "configuration.place.label", "required": True},
    {"key": "token", "type": "secret", "label_key": "configuration.token.label", "required": True},
]
REFUSING = READ + (
    'message = "Not good: " + request["context"]["configuration"]["secret"]["token"]\n'
    'error = {"code": "bad_request", "message": message, "retryable": False}\n'
    'print(json.dumps({"protocol_version": 1, "ok": False, "error": error}))\n'
)


@pytest.fixture
def install(tmp_path, settings):
    settings.OBJECT_STORE_DIR = tmp_path / "objects"
    settings.PACKAGE_CACHE_DIR = tmp_path / "cache"
    admin = Client()
    admin.force_login(make_administrator())

    def run(source: str):
        manifest = build_program_manifest(configuration={"fields": FIELDS})
        archive = build_package(tmp_path / "records.zip", manifest=manifest, files={"provider/main.py": source})
        content = SimpleUploadedFile("records.zip", archive.read_bytes())
        preview = admin.post("/install/", {"package": content})["Location"]
        digest = admin.get(f"{preview}configure/").text.partition('name="archive-sha256"')[2].split('"')[1]
        return admin.post(f"{preview}commit/", {"archive-sha256": digest, "place": "here", "token": SECRET})

    return run


@pytest.mark.parametrize(
    ("source", "status", "told"),
    [
        ("import no_such_module", 502, "ended before it read what it was asked (exit code 1)"),
        (READ + "print('<html>')", 502, "gave no valid answer"),
        (READ + "raise SystemError", 502, "gave no valid answer"),
        (REFUSING, 422, "refuses these values: Not good: ••••••"),
    ],
)
def test_it_says_what_became_of_the_program_and_keeps_what_was_typed(install, source, status, told):
    answer = install(source)
    page = " ".join(answer.text.split()).replace("&#x27;", "'")
    assert answer.status_code == status
    assert told in page
    assert 'value="here"' in page
    assert SECRET not in page
    assert not Connector.objects.exists()


def test_one_that_hangs_before_it_reads_took_too_long():
    assert "took too long" in str(describe_error(ProgramUnavailable(reason="never_read_its_request", exit_code=-9)))
