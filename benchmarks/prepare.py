"""The set-up a measurement needs, made by the product's own actions. Needs Django."""

import hashlib
import tempfile
from pathlib import Path

from connectors.access.agents import create_agent
from connectors.access.people import create_person
from connectors.access.roles import ADMINISTRATOR
from connectors.authorization.complete import connect_account
from connectors.catalogue.installation import install_package
from connectors.catalogue.publication import publish_connector
from connectors.policy.grants import set_grant
from tests.builders.packages import build_manifest, build_package


def make_agent_with_tool(upstream: str) -> str:
    """Install and publish a connector with one read tool, connect and grant it; return the agent's token."""
    owner = create_person(username="bench", role=ADMINISTRATOR, actor=None)
    rules = [{"tool": "echo", "effect": "read", "retry": "safe"}]
    manifest = build_manifest(key="bench", tool_policy={"default": "deny", "rules": rules})
    with tempfile.TemporaryDirectory() as folder:
        archive = build_package(Path(folder) / "bench.zip", manifest=manifest)
        connector = install_package(
            archive=archive,
            expected_sha256=hashlib.sha256(archive.read_bytes()).hexdigest(),
            raw_configuration={"endpoint": upstream},
            actor=owner,
        )
    publish_connector(connector=connector, actor=owner)
    connection = connect_account(person=owner, connector=connector)
    agent, token = create_agent(owner=owner, name="bench")
    set_grant(agent=agent, connection=connection, breadth="all", access="read_write", actor=owner)
    return token
