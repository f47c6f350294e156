"""What the worker does for accounts: nudges only, what is due stands in the database."""

from celery import shared_task

from connectors.audit.sweeps import sweep
from connectors.authorization import notices, refresh_sweep, revocation, session_sweep


@shared_task(name="authorization.refresh_due")
@sweep("authorization.refresh_due")
def refresh_due() -> int:
    return refresh_sweep.refresh_due()


@shared_task(name="authorization.sweep_sessions")
@sweep("authorization.sweep_sessions")
def sweep_sessions() -> int:
    return session_sweep.sweep_sessions()


@shared_task(name="authorization.revoke_due")
@sweep("authorization.revoke_due")
def revoke_due() -> int:
    return revocation.revoke_due()


@shared_task(name="authorization.notify_owners")
@sweep("authorization.notify_owners")
def notify_owners() -> int:
    return notices.notify_owners()
