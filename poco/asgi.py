"""The one ASGI application: `/mcp` beside Django, lifespan, and Django for the rest."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "poco.settings")

application = get_asgi_application()
