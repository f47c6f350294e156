"""Addresses of the ledger and its reviews."""

from django.urls import URLPattern, path

from connectors.console.views import ledger, ledger_files, narrowing, notices, reviews

urlpatterns: list[URLPattern] = [
    path("ledger/", ledger.ledger, name="ledger"),
    path("ledger/csv/", ledger_files.ledger_csv, name="ledger_csv"),
    path("connectors/<slug:key>/ledger/", ledger.connector_ledger, name="connector_ledger"),
    path("connectors/<slug:key>/ledger/entry/", ledger.connector_entry, name="connector_entry"),
    path("connectors/<slug:key>/ledger/checklist/", ledger.connector_checklist, name="connector_checklist"),
    path("connectors/<slug:key>/ledger/disposition/", ledger.connector_disposition, name="connector_disposition"),
    path("connectors/<slug:key>/ledger/probe/", ledger.connector_probe, name="connector_probe"),
    path("connectors/<slug:key>/ledger/ask/", narrowing.connector_ask_narrowing, name="connector_ask_narrowing"),
    path("connections/csv/", ledger_files.connections_csv, name="connections_csv"),
    path("connections/unused/", narrowing.unused, name="unused"),
    path("notices/", notices.notices, name="notices"),
    path("notices/mail/", notices.notices_mail, name="notices_mail"),
    path("notices/webhook/", notices.digest_webhook, name="digest_webhook"),
    path("notices/webhook/test/", notices.digest_webhook_test, name="digest_webhook_test"),
    path("notices/webhook/remove/", notices.digest_webhook_remove, name="digest_webhook_remove"),
    path("reviews/", reviews.reviews, name="reviews"),
    path("reviews/<uuid:review_id>/", reviews.review, name="review"),
    path("reviews/<uuid:review_id>/<int:position>/", reviews.review_line, name="review_line"),
    path("reviews/<uuid:review_id>/finish/", reviews.review_finish, name="review_finish"),
    path("reviews/<uuid:review_id>/report/", reviews.review_report, name="review_report"),
    path("reviews/<uuid:review_id>/csv/", ledger_files.review_csv, name="review_csv"),
]
