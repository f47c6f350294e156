"""Addresses of the shell and of the administrator's screens."""

from django.urls import path

from connectors.console.views import (
    configuration,
    connection_tests,
    connector_calls,
    connectors,
    health,
    install,
    people,
    preferences,
    publication,
    teams,
    upload,
    welcome,
)

urlpatterns = [
    path("preferences/", preferences.preferences, name="preferences"),
    path("welcome/password/", welcome.welcome_password, name="welcome_password"),
    path("welcome/<str:token>/", welcome.welcome, name="welcome"),
    path("icons/<str:digest>/", connectors.icon, name="icon"),
    path("health/", health.health, name="health"),
    # Install comes before connectors: `install` and `example` are words no connector's page may take.
    path("connectors/", connectors.connector_list, name="connector_list"),
    path("install/", upload.install, name="install"),
    path("install/example/", upload.example_package, name="example_package"),
    path("install/<uuid:staged_id>/", install.install_preview, name="install_preview"),
    path("install/<uuid:staged_id>/configure/", install.install_configure, name="install_configure"),
    path("install/<uuid:staged_id>/commit/", install.install_commit, name="install_commit"),
    path("install/<uuid:staged_id>/test/", connection_tests.install_test, name="install_test"),
    path("connectors/<slug:key>/", connectors.connector_overview, name="connector_overview"),
    path("connectors/<slug:key>/configuration/", configuration.connector_configuration, name="connector_configuration"),
    path("connectors/<slug:key>/tools/", connectors.connector_tools, name="connector_tools"),
    path("connectors/<slug:key>/visibility/", publication.connector_visibility, name="connector_visibility"),
    path("connectors/<slug:key>/publish/", publication.connector_publish, name="connector_publish"),
    path("connectors/<slug:key>/disable/", publication.connector_disable, name="connector_disable"),
    path("connectors/<slug:key>/test/", connection_tests.connector_test, name="connector_test"),
    path("connectors/<slug:key>/calls/", connector_calls.connector_calls, name="connector_calls"),
    path("connectors/<slug:key>/calls/capture/", connector_calls.connector_capture, name="connector_capture"),
    path("people/", people.people, name="people"),
    path("people/new/", people.person_create, name="person_create"),
    path("people/<int:person_id>/", people.person, name="person"),
    path("people/<int:person_id>/active/", people.person_active, name="person_active"),
    path("people/<int:person_id>/link/", people.person_link, name="person_link"),
    path("teams/", teams.teams, name="teams"),
    path("teams/new/", teams.team_create, name="team_create"),
    path("teams/<uuid:team_id>/", teams.team, name="team"),
    path("teams/<uuid:team_id>/delete/", teams.team_delete, name="team_delete"),
]
