"""What the gateway sweeps: states that time alone ends."""

from celery import shared_task

from connectors.audit.sweeps import sweep
from connectors.gateway import lost_calls, runs


@shared_task(name="gateway.close_idle_runs")
@sweep("gateway.close_idle_runs")
def close_idle_runs() -> int:
    return runs.close_idle_runs()


@shared_task(name="gateway.end_lost_calls")
@sweep("gateway.end_lost_calls")
def end_lost_calls() -> int:
    return lost_calls.end_lost_calls()
