"""The version a connector would go to: an uploaded package (update) or an installed version (roll back).

One page decides about both; they differ in where the package comes from and in which act is called.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from django.http import QueryDict

from connectors.access.models import User
from connectors.catalogue.models import Connector, PackageVersion
from connectors.catalogue.versions import manifest_of
from connectors.console.configuration_form import read_cleared
from connectors.console.forms.manifest_form import Texts
from connectors.console.staged_packages import OpenedUpload
from connectors.lifecycle.drain import DrainedChange, RollbackChange, UpdateChange
from connectors.lifecycle.preview import UpdatePreview
from connectors.lifecycle.rollback import preview_rollback, roll_back
from connectors.lifecycle.update import preview_update, update_connector
from connectors.lifecycle.version_change import Typed
from connectors.manifest.schema import Manifest

_MOST_DIGITS = 10  # no revision and no number of people is longer


@dataclass(frozen=True, slots=True)
class Decision:
    """What was typed and ticked; the numbers are those the page showed, so that nothing else is committed."""

    raw: Mapping[str, str] = field(default_factory=dict)
    cleared: Collection[str] = frozenset()
    accepted: frozenset[str] = frozenset()
    digest: str = ""
    revision: int | None = None
    reauthorize: int | None = None
    corrected: int | None = None  # the number of people the act found instead

    @property
    def typed(self) -> Typed:
        """What the previews, the acts and the drained changes take alike."""
        return Typed(self.raw, frozenset(self.cleared), self.accepted, self.revision, self.reauthorize)


def read_decision(data: QueryDict, raw: Mapping[str, str]) -> Decision:
    """Return the decision a page's form holds; `raw` are the configuration's fields in it."""
    return Decision(
        raw=raw,
        cleared=read_cleared(data),
        accepted=frozenset(data.getlist("accepted-risk")),
        digest=data.get("archive-sha256", ""),
        revision=_number(data, "seen-revision"),
        reauthorize=_number(data, "seen-reauthorize"),
    )


class Target(Protocol):
    """What the page needs of either."""

    @property
    def kind(self) -> str: ...
    @property
    def connector(self) -> Connector: ...
    @property
    def version(self) -> str: ...
    @property
    def digest(self) -> str: ...
    @property
    def manifest(self) -> Manifest: ...
    @property
    def texts(self) -> Texts: ...
    @property
    def checkable(self) -> PackageVersion | None:
        """The version whose program can be asked beforehand: an upload's is run by nothing but the act itself."""
        ...

    def preview(self, decision: Decision) -> UpdatePreview: ...
    def commit(self, decision: Decision, actor: User) -> Connector: ...
    def change(self, decision: Decision) -> DrainedChange: ...


@dataclass(frozen=True, slots=True)
class UpdateTarget:
    """An upload, to become the connector's next version."""

    connector: Connector
    upload: OpenedUpload
    kind: str = "update"

    @property
    def version(self) -> str:
        return self.manifest.package_version

    @property
    def digest(self) -> str:
        return self.upload.staged.archive_sha256

    @property
    def manifest(self) -> Manifest:
        return self.upload.package.manifest

    @property
    def texts(self) -> Texts:
        return self.upload.package.texts

    @property
    def checkable(self) -> None:
        return None

    def preview(self, decision: Decision) -> UpdatePreview:
        return preview_update(package=self.upload.package, typed=decision.typed)

    def commit(self, decision: Decision, actor: User) -> Connector:
        return update_connector(
            connector=self.connector,
            archive=self.upload.archive,
            expected_sha256=decision.digest,
            typed=decision.typed,
            actor=actor,
        )

    def change(self, decision: Decision) -> UpdateChange:
        return UpdateChange(self.upload.archive, decision.digest, decision.typed)


@dataclass(frozen=True, slots=True)
class RollbackTarget:
    """An installed version, to become the connector's current one."""

    connector: Connector
    installed: PackageVersion
    kind: str = "rollback"

    @property
    def version(self) -> str:
        return self.installed.version

    @property
    def digest(self) -> str:
        return self.installed.archive_sha256

    @property
    def manifest(self) -> Manifest:
        return manifest_of(self.installed)

    @property
    def texts(self) -> Texts:
        texts: Texts = self.installed.texts
        return texts

    @property
    def checkable(self) -> PackageVersion | None:
        return self.installed if self.manifest.program else None

    def preview(self, decision: Decision) -> UpdatePreview:
        return preview_rollback(connector=self.connector, version=self.installed, typed=decision.typed)

    def commit(self, decision: Decision, actor: User) -> Connector:
        return roll_back(connector=self.connector, version=self.installed, typed=decision.typed, actor=actor)

    def change(self, decision: Decision) -> RollbackChange:
        return RollbackChange(self.installed, decision.typed)


def _number(data: QueryDict, name: str) -> int | None:
    text = data.get(name, "")
    return int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS else None
