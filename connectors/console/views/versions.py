"""The Versions tab: who installed what when, what is in it, its exact archive, and how any two differ."""

from base64 import b64encode
from wsgiref.util import FileWrapper

from django.http import HttpResponse, HttpResponseBase
from django.views.decorators.cache import never_cache

from connectors.catalogue.models import Connector, PackageVersion
from connectors.catalogue.queries import find_connector, find_version
from connectors.console.answer import answer
from connectors.console.connector_pages import frame_connector
from connectors.console.messages import describe_error
from connectors.console.permissions import MANAGE_CONNECTORS, PersonRequest, screen
from connectors.console.streaming import stream
from connectors.console.version_pages import list_versions, open_version, read_comparison
from connectors.errors import Failed, Invalid
from connectors.packages.exact_archive import open_archive

_BLOCK = 256 * 1024


@screen(MANAGE_CONNECTORS)
def connector_versions(request: PersonRequest, key: str) -> HttpResponse:
    connector = find_connector(key)
    lines = list_versions(connector)
    context = frame_connector(connector, "versions") | {
        "lines": lines,
        "comparison": read_comparison(connector, lines, request.GET.dict()),
    }
    return answer(request, "console/versions/list.html", context, partial="comparison")


@screen(MANAGE_CONNECTORS)
def connector_version(request: PersonRequest, key: str, version: str) -> HttpResponse:
    """Everything in one version, its source too, from the archive in the store."""
    connector, found = find_connector(key), find_version(key, version)
    try:
        preview = open_version(found)
    except (Failed, Invalid) as error:
        return _refuse(request, connector, found, error)
    context = frame_connector(connector, "versions") | {"version": found, "preview": preview}
    return answer(request, "console/versions/detail.html", context)


@never_cache
@screen(MANAGE_CONNECTORS)
def version_archive(request: PersonRequest, key: str, version: str) -> HttpResponseBase:
    """The archive as it was uploaded. Nothing of it leaves before its digest was found right."""
    connector, found = find_connector(key), find_version(key, version)
    try:
        archive = open_archive(object_key=found.object_key, archive_sha256=found.archive_sha256)
    except Failed as error:
        return _refuse(request, connector, found, error)
    name = f"{found.key}-{found.version}.zip"
    response = stream(request, FileWrapper(archive, _BLOCK), content_type="application/zip", file_name=name)
    response.headers["Content-Length"] = str(found.archive_size)
    response.headers["Repr-Digest"] = f"sha-256=:{_base64(found.archive_sha256)}:"  # RFC 9530
    return response


def _base64(digest: str) -> str:
    return b64encode(bytes.fromhex(digest)).decode()


def _refuse(
    request: PersonRequest, connector: Connector, version: PackageVersion, error: Failed | Invalid
) -> HttpResponse:
    context = frame_connector(connector, "versions") | {"version": version, "told": describe_error(error)}
    return answer(request, "console/versions/damaged.html", context, status=502)
