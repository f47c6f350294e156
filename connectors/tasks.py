"""The list of Celery tasks, for Celery only."""
