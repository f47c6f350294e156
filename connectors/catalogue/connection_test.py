"""Test the way to a connector's servers before anything is stored, and name the stage that fails (console.md)."""

import asyncio
import time
from collections.abc import Mapping

from asgiref.sync import async_to_sync

from connectors.catalogue.binding import binding_headers
from connectors.catalogue.configuration import OpenConfiguration
from connectors.catalogue.endpoints import Server, resolve_servers
from connectors.catalogue.models import PackageVersion
from connectors.catalogue.program import ask_about_configuration
from connectors.errors import Failed, Invalid, Refused
from connectors.manifest.schema import Manifest
from connectors.manifest.tool_keys import tool_key
from connectors.runtime.mcp_client import Deadline, ProbeReport, Stage, UpstreamServer, probe
from connectors.vault.secret import Secret

TEST_SECONDS = 40.0


def test_connection(
    *, manifest: Manifest, configuration: OpenConfiguration, one_off: Mapping[str, Secret]
) -> ProbeReport:
    """Return how far each stage got; of several servers, tested in parallel, the one that got least far decides.

    `one_off` holds a credential for this test alone; empty, a server that asks for one ends it at
    `authorization` with `reached` true. Nothing is stored. A program's runtime has no servers to test.
    """
    servers = resolve_servers(manifest, configuration.public)
    if not servers:
        raise Refused("nothing_to_test", key=manifest.key)
    headers = binding_headers(manifest, one_off)
    return async_to_sync(_probe_all)(servers, headers)


def test_program(*, version: PackageVersion, configuration: OpenConfiguration) -> Stage:
    """Return what the version's program says of a configuration (`configuration_validate`, §8); nothing is stored."""
    started = time.perf_counter()
    code, detail = "", ""
    try:
        ask_about_configuration(version, configuration.public, configuration.secrets)
    except Invalid as refused:
        code, detail = refused.faults[0].code, str(refused.faults[0].parameters.get("message", ""))
    except Failed as error:
        code, detail = error.code, str(error.parameters.get("message", ""))
    return Stage("program", ok=not code, seconds=time.perf_counter() - started, code=code, detail=detail)


async def _probe_all(servers: tuple[Server, ...], headers: Mapping[str, Secret]) -> ProbeReport:
    deadline = Deadline.after(TEST_SECONDS)
    upstreams = [UpstreamServer(server.url, server.transport, headers) for server in servers]
    reports = await asyncio.gather(*(probe(upstream, deadline=deadline) for upstream in upstreams))
    return _join(servers, reports)


def _join(servers: tuple[Server, ...], reports: list[ProbeReport]) -> ProbeReport:
    failed = [(server, report) for server, report in zip(servers, reports, strict=True) if not report.ok]
    if failed:
        server, report = min(failed, key=lambda pair: len(pair[1].stages))
        last = report.stages[-1]
        detail = f"{server.key}: {last.detail}" if server.key else last.detail
        named = Stage(last.name, last.ok, last.seconds, last.code, detail)
        return ProbeReport((*report.stages[:-1], named), all(each.reached for each in reports))
    longest = max(reports, key=lambda report: len(report.stages))
    stages = tuple(_slowest(stage, reports) for stage in longest.stages)
    tools = (
        tool_key(server.key or None, tool)
        for server, report in zip(servers, reports, strict=True)
        for tool in report.tools
    )
    return ProbeReport(stages, reached=True, tools=tuple(tools))


def _slowest(stage: Stage, reports: list[ProbeReport]) -> Stage:
    """Return this stage with the time it took where it took longest."""
    seconds = (each.seconds for report in reports for each in report.stages if each.name == stage.name)
    return Stage(stage.name, ok=True, seconds=max(seconds))
