"""The project's addresses; `/mcp` is not here, `poco.asgi` answers it beside Django."""

from django.urls import include, path, re_path

from connectors.console.views.error_pages import not_offered

# Signing in goes without mail: administrators hand out sign-in links, single sign-on keeps its own addresses. What
# allauth would do by mail, and signing oneself up, is not there.
NOT_OFFERED = r"^accounts/(?:signup|email|confirm-email|password/reset|login/code|reauthenticate/code)/"

urlpatterns = [
    re_path(NOT_OFFERED, not_offered, name="not_offered"),
    path("accounts/", include("allauth.urls")),
    path("", include("connectors.urls")),
]

handler500 = "connectors.console.views.error_pages.server_error"
