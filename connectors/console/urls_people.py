"""Addresses of the screens for people and auditors."""

from django.urls import URLPattern, path

from connectors.console.views import (
    agents,
    authorizations,
    catalogue,
    connect,
    connections,
    grants,
    home,
    logs,
    records,
    tokens,
    verification,
)

urlpatterns: list[URLPattern] = [
    path("", home.home, name="home"),
    path("catalogue/", catalogue.catalogue, name="catalogue"),
    path("catalogue/<slug:key>/", catalogue.catalogue_connector, name="catalogue_connector"),
    path("catalogue/<slug:key>/connect/", connect.connect, name="connect"),
    path("connections/", connections.connections, name="connections"),
    path("connections/<uuid:connection_id>/", connections.connection, name="connection"),
    path("connections/<uuid:connection_id>/reconnect/", connect.reconnect, name="reconnect"),
    path("connections/<uuid:connection_id>/check/", connections.check_connection, name="connection_check"),
    path(
        "connections/<uuid:connection_id>/avatar/<str:digest>/",
        connections.connection_avatar,
        name="connection_avatar",
    ),
    path("connections/<uuid:connection_id>/open/", connections.connection_open, name="connection_open"),
    path("connections/<uuid:connection_id>/disconnect/", connections.disconnect, name="disconnect"),
    path("connections/signing-in/unknown/", authorizations.authorization_lost, name="authorization_lost"),
    path("connections/signing-in/<uuid:session_id>/", authorizations.authorization, name="authorization"),
    path(
        "connections/signing-in/<uuid:session_id>/take/", authorizations.authorization_take, name="authorization_take"
    ),
    path(
        "connections/signing-in/<uuid:session_id>/cancel/",
        authorizations.authorization_cancel,
        name="authorization_cancel",
    ),
    path("agents/", agents.agents, name="agents"),
    path("agents/new/", agents.agent_create, name="agent_create"),
    path("agents/<uuid:agent_id>/", agents.agent, name="agent"),
    path("agents/<uuid:agent_id>/retire/", agents.agent_retire, name="agent_retire"),
    path("agents/<uuid:agent_id>/tokens/", tokens.token_create, name="token_create"),
    path("agents/<uuid:agent_id>/tokens/<uuid:token_id>/revoke/", tokens.token_revoke, name="token_revoke"),
    path("agents/<uuid:agent_id>/grants/<uuid:connection_id>/", grants.grant, name="grant"),
    path("my/calls/", logs.my_calls, name="my_calls"),
    path("my/decisions/", logs.my_decisions, name="my_decisions"),
    path("audit/calls/", logs.audit_calls, name="audit_calls"),
    path("audit/decisions/", logs.audit_decisions, name="audit_decisions"),
    path("audit/events/", logs.admin_events, name="admin_events"),
    path("logs/<slug:log>/export/", logs.log_export, name="log_export"),
    path("logs/<slug:log>/views/", logs.view_save, name="view_save"),
    path("views/<uuid:view_id>/rename/", logs.view_rename, name="view_rename"),
    path("views/<uuid:view_id>/delete/", logs.view_delete, name="view_delete"),
    path("calls/<uuid:call_id>/", records.call, name="call"),
    path("calls/<uuid:call_id>/content/", records.call_content, name="call_content"),
    path("decisions/<uuid:decision_id>/", records.decision, name="decision"),
    path("audit/events/<uuid:event_id>/", records.event, name="event"),
    path("audit/verify/", verification.verify, name="verify"),
    path("audit/verify/run/", verification.verify_run, name="verify_run"),
    path("audit/verify/head/", verification.verify_head, name="verify_head"),
    path("runs/<uuid:run_id>/", records.run, name="run"),
]
