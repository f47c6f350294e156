"""Addresses of the ledger and its reviews."""

from django.urls import URLPattern, path

from connectors.console.views import ledger, reviews

urlpatterns: list[URLPattern] = [
    path("ledger/", ledger.ledger, name="ledger"),
    path("connectors/<slug:key>/ledger/", ledger.connector_ledger, name="connector_ledger"),
    path("connectors/<slug:key>/ledger/entry/", ledger.connector_entry, name="connector_entry"),
    path("connectors/<slug:key>/ledger/checklist/", ledger.connector_checklist, name="connector_checklist"),
    path("connectors/<slug:key>/ledger/disposition/", ledger.connector_disposition, name="connector_disposition"),
    path("connectors/<slug:key>/ledger/probe/", ledger.connector_probe, name="connector_probe"),
    path("reviews/", reviews.reviews, name="reviews"),
    path("reviews/<uuid:review_id>/", reviews.review, name="review"),
    path("reviews/<uuid:review_id>/<int:position>/", reviews.review_line, name="review_line"),
    path("reviews/<uuid:review_id>/finish/", reviews.review_finish, name="review_finish"),
    path("reviews/<uuid:review_id>/report/", reviews.review_report, name="review_report"),
]
