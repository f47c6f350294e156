from django.urls import URLPattern, path

from connectors.api.schemas import manifest_schema

urlpatterns: list[URLPattern] = [
    path("schemas/manifest-v1.json", manifest_schema, name="manifest_schema"),
]
