"""Addresses of a connector's versions, and of the acts that change which one it is or take it away."""

from django.urls import path

from connectors.console.views import changes, connection_tests, drain, removal, upload, versions

urlpatterns = [
    path("connectors/<slug:key>/update/", upload.connector_update, name="connector_update"),
    path(
        "connectors/<slug:key>/update/<uuid:staged_id>/",
        changes.connector_update_decide,
        name="connector_update_decide",
    ),
    path(
        "connectors/<slug:key>/update/<uuid:staged_id>/test/",
        connection_tests.connector_update_test,
        name="connector_update_test",
    ),
    path("connectors/<slug:key>/versions/", versions.connector_versions, name="connector_versions"),
    path("connectors/<slug:key>/versions/<str:version>/", versions.connector_version, name="connector_version"),
    path("connectors/<slug:key>/versions/<str:version>/archive/", versions.version_archive, name="version_archive"),
    path(
        "connectors/<slug:key>/versions/<str:version>/roll-back/", changes.version_roll_back, name="version_roll_back"
    ),
    path(
        "connectors/<slug:key>/versions/<str:version>/roll-back/test/",
        connection_tests.version_roll_back_test,
        name="version_roll_back_test",
    ),
    path("connectors/<slug:key>/drain/", drain.connector_drain, name="connector_drain"),
    path("connectors/<slug:key>/drain/cancel/", drain.connector_drain_cancel, name="connector_drain_cancel"),
    path("connectors/<slug:key>/drain/runs/end/", drain.connector_drain_end_runs, name="connector_drain_end_runs"),
    path(
        "connectors/<slug:key>/drain/runs/<uuid:run_id>/end/",
        drain.connector_drain_end_run,
        name="connector_drain_end_run",
    ),
    path("connectors/<slug:key>/remove/", removal.connector_remove, name="connector_remove"),
    path("removals/<uuid:removal_id>/", removal.removal, name="removal"),
]
