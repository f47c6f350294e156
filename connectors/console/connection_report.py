"""What Test connection found, as an administrator reads it: who can mend the address is the one who reads."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from connectors.console.messages import describe_error
from connectors.console.stages import STAGES
from connectors.console.stages import Stage as Words
from connectors.errors import ConnectorError
from connectors.manifest.schema import Manifest
from connectors.runtime.upstream import ProbeReport, Stage
from connectors.vault.secret import Secret

SERVED: Final = "remote_mcp"
_MENDS: Final[dict[str, str | Promise]] = {
    "dns": _("Check the address you typed."),
    "tcp": _("It may be down, or its port another. Check the address, or try again later."),
    "tls": _("Look at the server's certificate, or tell whoever runs the server."),
    "http": _("Check the address: often its path is another."),
    "handshake": _("Try again. If it stays so, tell whoever runs the server."),
}


@dataclass(frozen=True, slots=True)
class ConnectionReport:
    """`stages` with their words. `served` is false where there is a program only; `asks_who` says that the server was
    reached and wants an account that nobody had typed, which is as far as such a test goes."""

    report: ProbeReport
    stages: tuple[tuple[Stage, Words | None], ...]
    served: bool
    asks_who: bool


def tell_report(report: ProbeReport, manifest: Manifest, one_off: Mapping[str, Secret]) -> ConnectionReport:
    """Return the report in words."""
    last = report.stages[-1]
    asked = not last.ok and last.name == "authorization"
    return ConnectionReport(
        report=report,
        stages=tuple((stage, _word(stage)) for stage in report.stages),
        served=manifest.runtime.adapter == SERVED,
        asks_who=asked and manifest.auth.strategy != "none" and not one_off,
    )


def _word(stage: Stage) -> Words | None:
    words = STAGES.get(stage.name)
    if words is None:
        return None
    if stage.code == "address_refused":
        told = describe_error(ConnectorError(stage.code, host=stage.detail))
        return replace(words, sentence=told.what, mend=told.mend)
    return replace(words, mend=_MENDS.get(stage.name, words.mend))
