"""Addresses of the shell and of the administrator's screens."""

from django.urls import path

from connectors.console.views import preferences

urlpatterns = [
    path("preferences/", preferences.preferences, name="preferences"),
]
