"""Test connection: changes nothing, and names the stage that failed with its time."""

import uuid
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache

from connectors.catalogue.configuration import OpenConfiguration
from connectors.catalogue.connection_test import test_connection, test_program
from connectors.catalogue.models import Connector, PackageVersion
from connectors.catalogue.queries import find_connector, find_version
from connectors.catalogue.versions import manifest_of
from connectors.console.answer import answer
from connectors.console.change_pages import draw_change
from connectors.console.change_targets import Decision, RollbackTarget, Target, UpdateTarget, read_decision
from connectors.console.configuration_form import draw_configuration, draw_installation, open_typed, read_one_off
from connectors.console.connection_report import SERVED, tell_report
from connectors.console.forms.manifest_form import ManifestForm
from connectors.console.messages import describe_error
from connectors.console.permissions import MANAGE_CONNECTORS, PersonRequest, screen
from connectors.console.staged_packages import OpenedUpload, on_upload, open_upload
from connectors.console.views.changes import show_decision
from connectors.console.views.configuration import show_connector_configuration
from connectors.console.views.install import show_configuration
from connectors.errors import ConnectorError, Invalid
from connectors.manifest.schema import Manifest
from connectors.runtime.upstream import ProbeReport, Stage
from connectors.vault.errors import CannotOpen
from connectors.vault.secret import Secret

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
    report = _report(request, form, manifest_of(connector.version), connector, checked=connector.version)
    if request.headers.get("HX-Target") == REPORT:
        return answer(request, "console/install/test_report.html", report | {"form": form})
    return show_connector_configuration(request, connector, form, **report)


@never_cache
@screen(MANAGE_CONNECTORS, methods=("POST",))
def connector_update_test(request: PersonRequest, key: str, staged_id: uuid.UUID) -> HttpResponse:
    """The way to the servers of the version an update would bring, with the secrets that are kept."""
    try:
        upload = open_upload(request, staged_id)
    except Invalid:
        return redirect("console:install_preview", staged_id)
    return _test_target(request, UpdateTarget(find_connector(key), upload))


@never_cache
@screen(MANAGE_CONNECTORS, methods=("POST",))
def version_roll_back_test(request: PersonRequest, key: str, version: str) -> HttpResponse:
    return _test_target(request, RollbackTarget(find_connector(key), find_version(key, version)))


def _test_target(request: PersonRequest, target: Target) -> HttpResponse:
    form = draw_change(target, target.preview(Decision()), request.POST)
    report = _report(request, form, target.manifest, target.connector, checked=target.checkable)
    if request.headers.get("HX-Target") == REPORT:
        return answer(request, "console/install/test_report.html", report | {"form": form})
    return show_decision(request, target, read_decision(request.POST, form.raw_values()), **report)


def _report(
    request: PersonRequest,
    form: ManifestForm,
    manifest: Manifest,
    connector: Connector | None,
    *,
    checked: PackageVersion | None = None,
) -> dict[str, Any]:
    """Return how far the test got: a `tested` in words, or `refused` when there was nothing to try.

    The program of `checked`, a version that is installed, is asked first if it has one.
    """
    try:
        typed = open_typed(form, connector)
        if typed is None:
            return {"faulty": True}
        one_off = read_one_off(manifest, request.POST)
        report = _test(manifest, typed, one_off, checked)
    except (ConnectorError, CannotOpen) as error:
        return {"refused": describe_error(error)}
    return {"tested": tell_report(report, manifest, one_off)}


def _test(
    manifest: Manifest, typed: OpenConfiguration, one_off: Mapping[str, Secret], checked: PackageVersion | None
) -> ProbeReport:
    first: tuple[Stage, ...] = ()
    if checked is not None and manifest.program is not None:
        first = (test_program(version=checked, configuration=typed),)
        if not first[0].ok or manifest.runtime.adapter != SERVED:
            return ProbeReport(first, reached=first[0].ok)
    report = test_connection(manifest=manifest, configuration=typed, one_off=one_off)
    return replace(report, stages=(*first, *report.stages))
