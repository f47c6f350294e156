"""Runs under way, as rows: each occupies the connectors it began with."""

from datetime import timedelta

from django.utils import timezone

from connectors.access.models import Agent
from connectors.catalogue.models import Connector
from connectors.gateway.models import Run


def make_run(agent: Agent, *connectors: Connector, **fields) -> Run:
    fields.setdefault("idle_ends_at", timezone.now() + timedelta(minutes=15))
    versions = {connector.key: connector.version.manifest_revision for connector in connectors}
    return Run.objects.create(agent=agent, person=agent.owner, connector_versions=versions, **fields)
