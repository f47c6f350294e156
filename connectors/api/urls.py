from django.urls import URLPattern, path

from connectors.api.health import livez, readyz
from connectors.api.schemas import manifest_schema

urlpatterns: list[URLPattern] = [
    path("livez", livez, name="livez"),
    path("readyz", readyz, name="readyz"),
    path("schemas/manifest-v1.json", manifest_schema, name="manifest_schema"),
]
