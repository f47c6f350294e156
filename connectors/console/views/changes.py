"""Update and roll back: one page decides, the difference first; while the connector is in use it offers to drain."""

import uuid
from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache

from connectors.catalogue.models import Connector
from connectors.catalogue.queries import find_connector, find_version, installed_versions
from connectors.console.answer import answer
from connectors.console.change_pages import describe_change_page, draw_change, find_faults, take_over
from connectors.console.change_targets import Decision, RollbackTarget, Target, UpdateTarget, read_decision
from connectors.console.drain_deadline import offer_deadlines, read_deadline
from connectors.console.messages import describe_error
from connectors.console.package_difference import tell_difference
from connectors.console.package_preview import build_preview
from connectors.console.permissions import MANAGE_CONNECTORS, PersonRequest, screen
from connectors.console.presentation import describe_connector
from connectors.console.reauthorizing import tell_people
from connectors.console.staged_packages import open_upload
from connectors.console.submitted_once import claim_submission
from connectors.errors import Conflict, Failed, Invalid
from connectors.lifecycle.drain import start_drain

_TOLD_WITH_DIFFERENCE = ("version_not_higher", "version_has_other_content")


@never_cache
@screen(MANAGE_CONNECTORS, methods=("GET", "POST"))
def connector_update_decide(request: PersonRequest, key: str, staged_id: uuid.UUID) -> HttpResponse:
    """What the uploaded package would change, and the update itself."""
    connector = find_connector(key)
    try:
        upload = open_upload(request, staged_id)
    except Invalid:
        return redirect("console:install_preview", staged_id)  # which tells every fault of the package
    if upload.package.manifest.key != key:
        error = Conflict("package_key_differs", key=upload.package.manifest.key, expected=key)
        return _refuse(request, connector, error)
    return _decide(request, UpdateTarget(connector, upload))


@never_cache
@screen(MANAGE_CONNECTORS, methods=("GET", "POST"))
def version_roll_back(request: PersonRequest, key: str, version: str) -> HttpResponse:
    """What going back to an installed version would change, and the roll back itself."""
    connector = find_connector(key)
    return _decide(request, RollbackTarget(connector, find_version(key, version)))


def _decide(request: PersonRequest, target: Target) -> HttpResponse:
    if request.method != "POST":
        return show_decision(request, target, None)
    if not claim_submission(request):
        messages.info(request, gettext("This was sent already. What came of it is shown here."))
        return redirect("console:connector_overview", target.connector.key)
    form = draw_change(target, target.preview(Decision()), request.POST)
    decision = read_decision(request.POST, form.raw_values())
    try:
        return (
            _drain(request, target, decision) if "drain-first" in request.POST else _commit(request, target, decision)
        )
    except Conflict as error:
        return _show_conflict(request, target, decision, error)
    except (Invalid, Failed) as error:  # Failed: its program or the store did not do its part; nothing was changed
        return show_decision(request, target, decision, error=error)


def _show_conflict(request: PersonRequest, target: Target, decision: Decision, error: Conflict) -> HttpResponse:
    """What was found instead of what the page had said is on it now, so that sending it again means it."""
    if error.code == "configuration_changed":
        data, changes = take_over(target.connector, request.POST, since=decision.revision or 0)
        taken = replace(decision, raw={key: str(data[key]) for key in decision.raw})
        return show_decision(request, target, taken, error=error, data=data, meanwhile=changes)
    corrected = error.parameters.get("people") if error.code == "reauthorization_differs" else None
    return show_decision(request, target, replace(decision, corrected=corrected), error=error)


def _commit(request: PersonRequest, target: Target, decision: Decision) -> HttpResponse:
    before = target.connector.version.version
    target.commit(decision, request.user)
    messages.success(request, f"{_tell_done(target)} {tell_people(decision.reauthorize or 0)}".strip())
    return redirect(reverse("console:connector_overview", args=[target.connector.key]) + f"?since={before}")


def _tell_done(target: Target) -> str:
    told = {"update": gettext("Updated to version %(version)s."), "rollback": gettext("Now on version %(version)s.")}
    return told[target.kind] % {"version": target.version}


def _drain(request: PersonRequest, target: Target, decision: Decision) -> HttpResponse:
    start_drain(
        connector=target.connector,
        change=target.change(decision),
        end_runs_after=read_deadline(request.POST),
        actor=request.user,
    )
    messages.success(request, gettext("Draining has begun. You may leave; it goes on by itself."))
    return redirect("console:connector_overview", target.connector.key)


def show_decision(
    request: PersonRequest,
    target: Target,
    decision: Decision | None,
    *,
    error: Conflict | Failed | Invalid | None = None,
    data: QueryDict | None = None,
    **more: Any,
) -> HttpResponse:
    """Answer with the page and all that is wrong; ticks and typed values are on it as sent, secrets never are."""
    sent = decision or Decision()
    preview = target.preview(sent)
    if preview.refusal is not None:
        return _refuse(request, target.connector, preview.refusal, target=target)
    form = draw_change(target, preview, None if decision is None else data or request.POST)
    if error is not None:
        form.add_faults(error.faults if isinstance(error, Invalid) else find_faults(target, sent))
    context = describe_change_page(target, preview, form, sent) | _contents(target) | more
    context["sent_back"] = error is not None
    context["deadlines"] = offer_deadlines(request.POST)
    context["told"] = None if error is None or isinstance(error, Invalid) else describe_error(error)
    return answer(request, "console/changes/decide.html", context, status=_status(error))


def _status(error: Conflict | Failed | Invalid | None) -> int:
    match error:
        case None:
            return 200
        case Failed():
            return 502
        case Invalid():
            return 422
        case _:
            return 422 if error.code == "risk_not_accepted" else 409


def _contents(target: Target) -> dict[str, Any]:
    """An upload is shown whole below the decision; an installed version has a page of its own."""
    if not isinstance(target, UpdateTarget):
        return {}
    return {"contents": build_preview(target.upload.package, target.upload.archive), "staged": target.upload.staged}


def _refuse(
    request: PersonRequest, connector: Connector, error: Conflict, target: Target | None = None
) -> HttpResponse:
    """Why nothing of this comes whatever is typed, and where to go instead."""
    context: dict[str, Any] = {
        "connector": connector,
        "name": describe_connector(connector).name,
        "told": describe_error(error),
        "older": installed_versions(connector.key).filter(version=error.parameters.get("version", "")).first()
        if error.code == "version_not_higher"
        else None,
    }
    if target is not None and error.code in _TOLD_WITH_DIFFERENCE:
        context["difference"] = tell_difference(target.preview(Decision()).difference)
    return answer(request, "console/changes/refused.html", context, status=409)
