"""What changes between two versions of a manifest, most dangerous first (handbook §9, console "Difference on update").

Pure: it neither knows who uses the connector nor decides anything.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from connectors.manifest.auth import OAuthAuth, StaticDiscovery, asked_scopes
from connectors.manifest.fields import Field
from connectors.manifest.hosts import host_of
from connectors.manifest.runtime import FixedEndpoint, RemoteMcpRuntime
from connectors.manifest.schema import Manifest
from connectors.manifest.tools import Rule

Risk = Literal["raised", "notable", "plain"]
_DANGER = {"read": 0, "write": 1, "unknown": 2, "destructive": 3}
_RAISED = ("effect_raised", "confirmation_dropped", "tool_added", "host_added", "scope_added")
_NOTABLE = (
    *("contract_changed", "sign_in_changed", "runtime_changed", "capability_added"),
    *("field_added", "field_changed", "field_removed"),
    *("program_source_added", "program_source_changed", "program_source_removed"),
)
_PLAIN_BEFORE_PROGRAM = ("effect_lowered", "confirmation_added", "retry_changed", "tool_removed")
_PLAIN = (
    *("scope_removed", "host_removed", "skill_added", "skill_changed", "skill_removed"),
    *("text_changed", "locale_added", "locale_removed", "version_changed"),
    *("file_added", "file_changed", "file_removed"),
)
_ORDER = (*_RAISED, *_NOTABLE[:7], *_PLAIN_BEFORE_PROGRAM, *_NOTABLE[7:], *_PLAIN)


@dataclass(frozen=True, slots=True)
class Change:
    """`risk` is `raised` for what asks for a tick of its own before an update."""

    kind: str
    subject: str
    before: str = ""
    after: str = ""

    @property
    def id(self) -> str:
        """What a tick names: another kind, subject, or value before or after is another change."""
        return f"{self.kind}|{self.subject}|{self.before}|{self.after}"

    @property
    def risk(self) -> Risk:
        return "raised" if self.kind in _RAISED else "notable" if self.kind in _NOTABLE else "plain"


def compare_manifests(old: Manifest, new: Manifest) -> tuple[Change, ...]:
    """Every change, ordered by danger, then by subject."""
    return order_changes(_changes(old, new))


def order_changes(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Most dangerous first, then by subject."""
    return tuple(sorted(changes, key=lambda change: (_ORDER.index(change.kind), change.subject)))


def hosts(manifest: Manifest) -> frozenset[str]:
    """The hosts the package itself names; what an administrator types in is not the package's."""
    return frozenset(host for url in _urls(manifest) if (host := host_of(url)))


def _changes(old: Manifest, new: Manifest) -> Iterator[Change]:
    yield from _rule_changes({r.key: r for r in old.tool_policy.rules}, {r.key: r for r in new.tool_policy.rules})
    yield from _set_changes("host", hosts(old), hosts(new))
    yield from _set_changes("scope", asked_scopes(old.auth), asked_scopes(new.auth))
    yield from _set_changes("skill", {s.key for s in old.skills}, {s.key for s in new.skills})
    yield from _set_changes("locale", old.locales, new.locales)
    added = _capabilities(new) - _capabilities(old)
    yield from (Change("capability_added", name) for name in sorted(added))
    yield from _field_changes("configuration", old.configuration.fields, new.configuration.fields)
    yield from _field_changes("auth", old.auth.fields, new.auth.fields)
    yield from _plain_changes(old, new)


def _plain_changes(old: Manifest, new: Manifest) -> Iterator[Change]:
    pairs = (
        ("contract_changed", "", old.authorization_contract_version, new.authorization_contract_version),
        ("sign_in_changed", "", _sign_in(old), _sign_in(new)),
        ("runtime_changed", "", _runtime(old), _runtime(new)),
        ("version_changed", "", old.package_version, new.package_version),
    )
    yield from (Change(*pair) for pair in pairs if pair[2] != pair[3])


def _rule_changes(old: Mapping[str, Rule], new: Mapping[str, Rule]) -> Iterator[Change]:
    yield from (Change("tool_added", key, "", new[key].effect) for key in new.keys() - old.keys())
    yield from (Change("tool_removed", key, old[key].effect) for key in old.keys() - new.keys())
    for key in old.keys() & new.keys():
        before, after = old[key], new[key]
        if before.effect != after.effect:
            raised = _DANGER[after.effect] > _DANGER[before.effect]
            yield Change("effect_raised" if raised else "effect_lowered", key, before.effect, after.effect)
        if before.effective_confirmation != after.effective_confirmation:
            dropped = after.effective_confirmation == "not_required"
            kind = "confirmation_dropped" if dropped else "confirmation_added"
            yield Change(kind, key, before.effective_confirmation, after.effective_confirmation)
        if before.retry != after.retry:
            yield Change("retry_changed", key, before.retry, after.retry)


def _set_changes(noun: str, old: Any, new: Any) -> Iterator[Change]:
    yield from (Change(f"{noun}_added", item) for item in set(new) - set(old))
    yield from (Change(f"{noun}_removed", item) for item in set(old) - set(new))


def _field_changes(place: str, old: tuple[Field, ...], new: tuple[Field, ...]) -> Iterator[Change]:
    before, after = {one.key: one for one in old}, {one.key: one for one in new}
    for key in before.keys() | after.keys():
        left, right = before.get(key), after.get(key)
        if left is None and right is not None:
            yield Change("field_added", f"{place}.{key}", "", _field(right))
        elif right is None and left is not None:
            yield Change("field_removed", f"{place}.{key}", _field(left))
        elif left and right and left.model_dump(exclude=_WORDING) != right.model_dump(exclude=_WORDING):
            yield Change("field_changed", f"{place}.{key}", _field(left), _field(right))


_WORDING = {"label_key", "description_key", "placeholder_key", "group_key"}


_LIMITS = ("default", "minimum", "maximum", "min_length", "max_length")


def _field(one: Field) -> str:
    told = [one.type, *(["required"] if one.required else [])]
    told += [f"{name} {value}" for name in _LIMITS if (value := getattr(one, name)) is not None]
    return ", ".join([*told, *(option.value for option in one.options)])


def _capabilities(manifest: Manifest) -> set[str]:
    return set(manifest.program.capabilities) if manifest.program else set()


def _sign_in(manifest: Manifest) -> str:
    return f"{manifest.auth.strategy}, {manifest.auth.interaction}"


def _runtime(manifest: Manifest) -> str:
    runtime = manifest.runtime
    return f"{runtime.adapter}, {runtime.transport}"


def _urls(manifest: Manifest) -> Iterator[str]:
    if isinstance(manifest.runtime, RemoteMcpRuntime):
        options = manifest.runtime.options
        single = (options.endpoint,) if options.endpoint else ()
        for endpoint in (*single, *(server.endpoint for server in options.servers or ())):
            if isinstance(endpoint, FixedEndpoint):
                yield endpoint.url
    if isinstance(manifest.auth, OAuthAuth):
        discovery = manifest.auth.options.discovery
        yield discovery.issuer if isinstance(discovery, StaticDiscovery) else discovery.expected_issuer
    yield from (
        one.default for one in manifest.configuration.fields if one.type == "url" and isinstance(one.default, str)
    )
