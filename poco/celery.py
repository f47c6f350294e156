"""The Celery application; the worker is a nudge away from states that live in the database."""

import os

from celery import Celery
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "poco.settings")

app = Celery("poco")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

if settings.CELERY_BROKER_URL.startswith("filesystem:"):
    for folder in ("messages", "control"):
        (settings.BROKER_DIR / folder).mkdir(parents=True, exist_ok=True)
    (settings.VAR_DIR / "beat").mkdir(parents=True, exist_ok=True)
