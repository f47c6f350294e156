from django.urls import URLPattern, path

from connectors.api.health import livez, readyz
from connectors.api.oauth_callback import oauth_callback, oauth_client
from connectors.api.schemas import manifest_schema
from connectors.authorization.client_registration import CALLBACK_PATH, CLIENT_DOCUMENT_PATH

urlpatterns: list[URLPattern] = [
    path("livez", livez, name="livez"),
    path("readyz", readyz, name="readyz"),
    path("schemas/manifest-v1.json", manifest_schema, name="manifest_schema"),
    path(CALLBACK_PATH.lstrip("/"), oauth_callback, name="oauth_callback"),
    path(CLIENT_DOCUMENT_PATH.lstrip("/"), oauth_client, name="oauth_client"),
]
