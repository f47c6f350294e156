"""Published schemas; open to everyone, because editors fetch them without a session."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from connectors.manifest.json_schema import render_json_schema


@login_not_required
@require_safe
@cache_control(public=True, max_age=3600)
def manifest_schema(_request: HttpRequest) -> HttpResponse:
    response = HttpResponse(render_json_schema(), content_type="application/schema+json")
    response["Access-Control-Allow-Origin"] = "*"  # web-based editors check with it too; there is nothing secret in it
    return response
