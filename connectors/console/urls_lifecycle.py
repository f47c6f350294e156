"""Addresses of a connector's versions, and of the acts that change which one it is."""

from django.urls import path

from connectors.console.views import versions

urlpatterns = [
    path("connectors/<slug:key>/versions/", versions.connector_versions, name="connector_versions"),
    path("connectors/<slug:key>/versions/<str:version>/", versions.connector_version, name="connector_version"),
    path("connectors/<slug:key>/versions/<str:version>/archive/", versions.version_archive, name="version_archive"),
]
