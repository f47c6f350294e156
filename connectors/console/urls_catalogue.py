"""Addresses of the administrator's catalogue: order, categories, acts on several, viewing as a person."""

from django.urls import path

from connectors.console.views import bulk, categories, connector_tabs, ordering, view_as

# No address here begins with `connectors/` and a word: every word there is a connector's key.
urlpatterns = [
    path("connectors/<slug:key>/category/", categories.connector_category, name="connector_category"),
    path("connectors/<slug:key>/connections/", connector_tabs.connector_connections, name="connector_connections"),
    path("connectors/<slug:key>/skills/", connector_tabs.connector_skills, name="connector_skills"),
    path("bulk/connectors/", bulk.connector_bulk, name="connector_bulk"),
    path("order/connectors/", ordering.connector_order, name="connector_order"),
    path("order/categories/", ordering.category_order, name="category_order"),
    path("categories/", categories.categories, name="categories"),
    path("categories/<slug:category_key>/", categories.category, name="category"),
    path("categories/<slug:category_key>/merge/", categories.category_merge, name="category_merge"),
    path("categories/<slug:category_key>/separate/", categories.category_separate, name="category_separate"),
    path("view-as/", view_as.view_as, name="view_as"),
    path("view-as/<int:person_id>/", view_as.view_as_catalogue, name="view_as_catalogue"),
    path("view-as/<int:person_id>/<slug:key>/", view_as.view_as_connector, name="view_as_connector"),
]
