"""Every process that uses the project has its Celery application, so that nudges reach the configured broker."""

from poco.celery import app as celery_app

__all__ = ["celery_app"]
