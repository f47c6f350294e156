"""The administrator's list of connectors, and what one of them is."""

from django.http import Http404, HttpResponse
from django.utils.html import escape

from connectors.catalogue.models import Connector, PackageIcon
from connectors.catalogue.queries import find_connector
from connectors.catalogue.versions import manifest_of
from connectors.console.answer import answer
from connectors.console.connector_columns import COLUMNS, draw_heads
from connectors.console.connector_pages import frame_connector, read_usage
from connectors.console.connector_rows import list_categories, list_connectors
from connectors.console.example_package import list_examples
from connectors.console.forms.bulk import BulkForm
from connectors.console.forms.connector_filters import read_filters
from connectors.console.image_answer import answer_image
from connectors.console.permissions import MANAGE_CONNECTORS, PersonRequest, screen
from connectors.console.tool_list import group_by_effect, list_tools
from connectors.console.version_pages import read_change_since


@screen(MANAGE_CONNECTORS)
def connector_list(request: PersonRequest) -> HttpResponse:
    filters = read_filters(request.GET)
    page = list_connectors(filters)
    nothing_installed = not page.rows and not Connector.objects.exists()
    context = {
        "filters": filters,
        "page": page,
        "columns": COLUMNS,
        "labels": {column.name: escape(column.title) for column in COLUMNS},
        "heads": draw_heads(filters.columns, filters.sort),
        "categories": list_categories(),
        "statuses": Connector.Status.values,
        "nothing_installed": nothing_installed,
        "examples": list_examples() if nothing_installed else [],
    }
    return answer(request, "console/connectors/list.html", context, partial="results")


@screen(MANAGE_CONNECTORS)
def connector_overview(request: PersonRequest, key: str) -> HttpResponse:
    connector = find_connector(key)
    context = frame_connector(connector, "overview") | {
        "usage": read_usage(connector),
        "manifest": manifest_of(connector.version),
        "teams": connector.teams.all(),
        "people": connector.people.all(),
        "category_form": BulkForm.of(connector),
        "changed": read_change_since(connector, request.GET.get("since", "")),
    }
    return answer(request, "console/connectors/overview.html", context)


@screen(MANAGE_CONNECTORS)
def connector_tools(request: PersonRequest, key: str) -> HttpResponse:
    connector = find_connector(key)
    manifest = manifest_of(connector.version)
    context = frame_connector(connector, "tools") | {
        "effects": group_by_effect(list_tools(manifest, None)),
        "retried": {rule.key for rule in manifest.tool_policy.rules if rule.retry == "safe"},
    }
    return answer(request, "console/connectors/tools.html", context)


@screen()
def icon(request: PersonRequest, digest: str) -> HttpResponse:  # noqa: ARG001 - a view
    """A package's icon under its digest, which never shows anything else."""
    # Versions often share an icon; a digest names one content, so any of them will do.
    stored = PackageIcon.objects.filter(digest=digest).only("content", "media_type").first()
    if stored is None:
        raise Http404(digest)
    return answer_image(bytes(stored.content), stored.media_type)
