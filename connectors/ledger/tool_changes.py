"""What changed in what a connector's endpoints list, noticed from the lists of the accounts (`Toolset.digest`)."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final
from uuid import UUID

import orjson
from django.db import transaction
from django.utils import timezone

from connectors.catalogue.models import Connector
from connectors.gateway.models import Toolset
from connectors.ledger.allowed_tools import allowed_tools
from connectors.ledger.context_cost import estimate_tools, key_tools
from connectors.ledger.models import Probe, ToolChange

MOST_LISTS: Final = 20  # accounts that list differently; the latest are read
MOST_NAMED: Final = 500
MOST_DIGESTS: Final = 50  # beyond, only a digest of them all is kept
_DIGEST: Final = 16


def note_tool_changes() -> int:
    """Look at every connector whose accounts list something else than last time; return how many there were."""
    listed: dict[UUID, set[str]] = defaultdict(set)
    for connector_id, digest in Toolset.objects.order_by().values_list("connection__connector", "digest").distinct():
        listed[connector_id].add(digest)
    versions = dict(Connector.objects.filter(pk__in=listed).order_by().values_list("pk", "version_id"))
    rows = Probe.objects.filter(connector__in=listed).values_list("pk", "toolset_digests", "noted_version_id")
    noted = {pk: (digests, version_id) for pk, digests, version_id in rows}
    stale = [pk for pk, version_id in versions.items() if noted.get(pk) != (_summarize(listed[pk]), version_id)]
    for connector_id in stale:
        _note(connector_id, versions[connector_id], _summarize(listed[connector_id]))
    return len(stale)


def _summarize(digests: set[str]) -> list[str]:
    ordered = sorted(digests)
    return ordered if len(ordered) <= MOST_DIGESTS else [hashlib.sha256(" ".join(ordered).encode()).hexdigest()]


@transaction.atomic
def _note(connector_id: UUID, version_id: UUID, digests: list[str]) -> None:
    Probe.objects.get_or_create(connector_id=connector_id)
    probe = Probe.objects.select_for_update(of=("self",)).get(pk=connector_id)
    lists = _read_lists(connector_id)
    tools = _digest_tools(lists.values())
    gained = set(digests) - set(probe.toolset_digests)
    if probe.toolset_digests and gained:  # an account that went away takes nothing away from the endpoint
        _record(connector_id, probe.tools, tools)
    allowed = allowed_tools([version_id])[version_id]
    probe.tools, probe.toolset_digests, probe.noted_version_id = tools, digests, version_id
    probe.context_tokens = max((estimate_tools(definitions, allowed) for definitions in lists.values()), default=None)
    probe.save(update_fields=["tools", "toolset_digests", "noted_version_id", "context_tokens"])


def _read_lists(connector_id: UUID) -> dict[str, dict[str, Mapping[str, Any]]]:
    """Return definitions by tool key by toolset digest; accounts that list the same are read once."""
    toolsets = Toolset.objects.filter(connection__connector=connector_id)
    latest: dict[str, UUID] = {}
    for digest, pk in toolsets.order_by("-discovered_at").values_list("digest", "pk"):
        latest.setdefault(digest, pk)
    chosen = list(latest.items())[:MOST_LISTS]
    contents = dict(toolsets.filter(pk__in=[pk for _, pk in chosen]).values_list("pk", "tools"))
    return {digest: key_tools(contents[pk].items()) for digest, pk in chosen if pk in contents}


def _digest_tools(lists: Iterable[Mapping[str, Mapping[str, Any]]]) -> dict[str, list[str]]:
    """Return, by tool key, the digests of its definitions: accounts may be shown different ones."""
    digests: dict[str, set[str]] = defaultdict(set)
    for definitions in lists:
        for key, definition in definitions.items():
            data = orjson.dumps(definition, option=orjson.OPT_SORT_KEYS)
            digests[key].add(hashlib.sha256(data).hexdigest()[:_DIGEST])
    return {key: sorted(found) for key, found in sorted(digests.items())}


def _record(connector_id: UUID, before: Mapping[str, list[str]], after: Mapping[str, list[str]]) -> None:
    added, removed = sorted(after.keys() - before.keys()), sorted(before.keys() - after.keys())
    redefined = sorted(key for key in after.keys() & before.keys() if set(after[key]) - set(before[key]))
    if not (added or removed or redefined):
        return
    ToolChange.objects.create(
        connector_id=connector_id,
        noticed_at=timezone.now(),
        added=added[:MOST_NAMED],
        removed=removed[:MOST_NAMED],
        redefined=redefined[:MOST_NAMED],
    )
