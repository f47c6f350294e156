"""Wake the worker once a transaction has committed; a nudge that is lost costs the time to the next sweep."""

from django.db import transaction


def nudge_drains() -> None:
    transaction.on_commit(_finish_drains, robust=True)


def nudge_removals() -> None:
    transaction.on_commit(_finish_removals, robust=True)


def _finish_drains() -> None:
    from connectors.lifecycle.tasks import finish_drains  # noqa: PLC0415 - tasks stand above the acts they call

    finish_drains.delay()


def _finish_removals() -> None:
    from connectors.lifecycle.tasks import finish_removals  # noqa: PLC0415 - as above

    finish_removals.delay()
