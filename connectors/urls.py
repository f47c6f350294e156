"""The list of addresses, for Django only."""

from django.urls import include, path

urlpatterns = [
    path("", include("connectors.api.urls")),
    path("", include("connectors.console.urls")),
]
