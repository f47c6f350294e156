"""The tools packages allow, by their policy keys; versions never change, so each is read once in a process."""

from collections.abc import Collection
from typing import Any
from uuid import UUID

from connectors.catalogue.models import PackageVersion
from connectors.manifest.tool_keys import tool_key

_REMEMBERED = 5_000
_known: dict[UUID, tuple[str, ...]] = {}


def allowed_tools(version_ids: Collection[UUID]) -> dict[UUID, tuple[str, ...]]:
    """Return the tool keys each package version allows, in the package's order; one query at most."""
    missing = [pk for pk in version_ids if pk not in _known]
    if missing:
        if len(_known) > _REMEMBERED:
            _known.clear()
            missing = list(version_ids)
        rows = PackageVersion.objects.filter(pk__in=missing).order_by()
        _known.update({pk: _keys(rules) for pk, rules in rows.values_list("pk", "manifest__tool_policy__rules")})
    return {pk: _known.get(pk, ()) for pk in version_ids}


def _keys(rules: list[dict[str, Any]] | None) -> tuple[str, ...]:
    return tuple(tool_key(rule.get("server"), rule["tool"]) for rule in rules or ())
