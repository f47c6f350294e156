"""Test connection: changes nothing, and names the stage that failed with its time."""

from typing import Any

from django.http import HttpResponse
from django.views.decorators.cache import never_cache

from connectors.catalogue.connection_test import test_connection
from connectors.catalogue.models import Connector
from connectors.catalogue.queries import find_connector
from connectors.catalogue.versions import manifest_of
from connectors.console.answer import answer
from connectors.console.configuration_form import draw_configuration, draw_installation, open_typed, read_one_off
from connectors.console.forms.manifest_form import ManifestForm
from connectors.console.messages import describe_error
from connectors.console.permissions import MANAGE_CONNECTORS, PersonRequest, screen
from connectors.console.staged_packages import OpenedUpload, on_upload
from connectors.console.stages import STAGES
from connectors.console.views.configuration import show_connector_configuration
from connectors.console.views.install import show_configuration
from connectors.errors import ConnectorError
from connectors.manifest.schema import Manifest
from connectors.vault.errors import CannotOpen

REPORT = "test-report"


@never_cache
@screen(MANAGE_CONNECTORS, methods=("POST",))
@on_upload
def install_test(request: PersonRequest, upload: OpenedUpload) -> HttpResponse:
    manifest = upload.package.manifest
    form = draw_installation(manifest, upload.package.texts, request.POST, {})
    report = _report(request, form, manifest, None)
    if request.headers.get("HX-Target") == REPORT:
        return answer(request, "console/install/test_report.html", report | {"form": form})
    return show_configuration(request, upload, form, **report)


@never_cache
@screen(MANAGE_CONNECTORS, methods=("POST",))
def connector_test(request: PersonRequest, key: str) -> HttpResponse:
    connector = find_connector(key)
    form = draw_configuration(connector, request.POST)
    report = _report(request, form, manifest_of(connector.version), connector)
    if request.headers.get("HX-Target") == REPORT:
        return answer(request, "console/install/test_report.html", report | {"form": form})
    return show_connector_configuration(request, connector, form, **report)


def _report(
    request: PersonRequest, form: ManifestForm, manifest: Manifest, connector: Connector | None
) -> dict[str, Any]:
    """Return how far the test got: `stages` in words, or `refused` when there was nothing to try."""
    try:
        typed = open_typed(form, connector)
        if typed is None:
            return {"faulty": True}
        report = test_connection(manifest=manifest, configuration=typed, one_off=read_one_off(manifest, request.POST))
    except (ConnectorError, CannotOpen) as error:
        return {"refused": describe_error(error)}
    stages = [(stage, STAGES.get(stage.name)) for stage in report.stages]
    return {"report": report, "stages": stages, "needs_account": manifest.auth.strategy != "none"}
