"""Every page and filter of the logs that `benchmarks/audit.py` times. Needs Django."""

from collections.abc import Iterator
from datetime import timedelta

from django.urls import reverse

from connectors.access.models import User
from connectors.audit.models import CallRecord


def addresses(
    administrator: User, auditor: User, ann: User, middle: CallRecord
) -> Iterator[tuple[str, User, str, str]]:
    """Every page and filter: its name, who asks, the address, and the part asked for."""
    calls, decisions = reverse("console:audit_calls"), reverse("console:audit_decisions")
    since = (middle.started_at - timedelta(hours=6)).strftime("%Y-%m-%dT%H:%M")
    until = middle.started_at.strftime("%Y-%m-%dT%H:%M")
    traced = CallRecord.objects.exclude(trace_id="").filter(pk__lt=middle.pk).order_by("-pk")[0]
    filters = {
        "newest": "",
        "in the middle": f"after={middle.pk}",
        "of a time range": f"range=custom&since={since}&until={until}&zone=UTC",
        "of a person": f"person={ann.username}",
        "of an agent": f"agent=Claude+Code&person={ann.username}",
        "of a busy connector": "connector=service0",
        "of a quiet connector": "connector=service199",
        "of a connection": f"connection={middle.connection_id}",
        "of a run": f"run={middle.run_id}",
        "of a trace": f"trace={traced.trace_id}",
        "of a tool": "tool=search_29",
        "of a busy connector's rare tool": "connector=service0&tool=search_29",
        "that write": "effect=write",
        "that failed": "outcome=failed",
        "with a rare code": "error=external_error",
        "with outcome unknown (none)": "outcome=unknown",
        "slower than 10 s": "slower=10000",
        "text, common": "text=search",
        "text, rare": "text=person499",
        "text, nothing": "text=nothing-has-this-name",
        "from an address nobody has": "address=198.51.100.1",
        "of an origin nobody has": "origin=scheduled",
        "of an old version (none)": "version=0.9.0",
        "of an alias": "alias=default",
        "of an approval (none)": f"approval={middle.pk}",
        "retried (none)": "retries=1",
        "to a service address": "server=tools.example.com%3A443",
        "to a service address nobody has": "server=other.example.com%3A443",
        "of a package's server (none)": "place=second",
        "of a credential": "credential=a1b2c3",
        "of a credential nobody has": "credential=ffffff",
        "of an arguments digest": f"arguments={middle.arguments_digest}",
        "of a result digest": f"result={middle.result_digest}",
        "whose content was kept (none)": "kept=yes",
        "a person's that write, slow, of 30 days": f"person={ann.username}&effect=write&slower=1000&range=30d",
    }
    for name, query in filters.items():
        yield f"calls {name}", auditor, f"{calls}?{query}", ""
    for name in (
        "newest",
        "in the middle",
        "of a person",
        "of a busy connector",
        "that write",
        "text, rare",
        "of a run",
    ):
        yield f"decisions {name}", auditor, f"{decisions}?{filters[name]}", ""
    for name, query in (
        ("that denied", "allowed=no"),
        ("by a rule", "rule=grant_missing"),
        ("by a rule that never decided", "rule=run_stopped"),
        ("with a reason (none)", "reason=nothing"),
        ("of a package revision", f"revision={'c' * 64}"),
        ("of a tool digest (none)", f"digest={'d' * 64}"),
    ):
        yield f"decisions {name}", auditor, f"{decisions}?{query}", ""
    yield "my calls", ann, reverse("console:my_calls"), ""
    yield "one call", auditor, reverse("console:call", args=[middle.pk]), ""
    yield "admin events", auditor, reverse("console:admin_events"), ""
    for name, query in (
        ("text", "text=team+19"),
        ("by a person", "actor=admin"),
        ("of an act", "act=team_created"),
        ("of an act nobody did", "act=log_exported"),
        ("of a target", "target=Team+1999"),
        ("of what changed (none)", "changed=nothing"),
        ("from an address nobody has", "address=198.51.100.1"),
    ):
        yield f"admin events, {name}", auditor, f"{reverse('console:admin_events')}?{query}", ""
    for part, query in (
        ("count", ""),
        ("count", "connector=service0"),
        ("charts", ""),
        ("charts", "connector=service0"),
    ):
        yield f"{part} of calls {query}", auditor, f"{calls}?{query}", f"log-{part}"
    yield "top lists of 30 days", auditor, calls, "log-tops"
    yield "live tail", auditor, f"{calls}?since={middle.pk}", "log-tail"
    yield "connectors with ledger", administrator, reverse("console:connector_list"), ""
    yield "ledger", administrator, reverse("console:ledger"), ""
