"""The project's addresses; `/mcp` is not here, `poco.asgi` answers it beside Django."""

from django.urls import include, path

urlpatterns = [
    path("accounts/", include("allauth.urls")),
    path("", include("connectors.urls")),
]

handler500 = "connectors.console.views.error_pages.server_error"
