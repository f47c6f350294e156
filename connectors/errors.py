"""The error tree: a stable code, parameters for its message, and whether trying again can help.

    ConnectorError
    ├── Refused            what was asked breaks a rule; the edges answer 4xx
    │   ├── NotFound       absent, or invisible to who asks
    │   ├── Forbidden      visible, but not allowed
    │   ├── Conflict       the state has moved on since the page was shown
    │   └── Invalid        input with faults, each with a place and a mend
    └── Failed             an outside system did not do its part
        ├── Unreachable    nothing was handed over (DNS, TCP, TLS, refused address)
        ├── UpstreamFault  it answered, and the answer was no or nonsense
        └── OutcomeUnknown handed over, no answer: it may have happened

Messages are translated at the edges (`connectors.console.messages`, `connectors.api`); nothing here knows Django.
"""

from dataclasses import dataclass, field
from typing import Any


class ConnectorError(Exception):
    """Base of every expected error. `parameters` must be safe to show and to log: never a secret."""

    code: str = "error"
    retryable: bool = False

    def __init__(self, code: str | None = None, /, **parameters: Any) -> None:
        self.code = code or type(self).code
        self.parameters = parameters
        super().__init__(f"{self.code} {parameters}" if parameters else self.code)


class Refused(ConnectorError):
    code = "refused"


class NotFound(Refused):
    code = "not_found"


class Forbidden(Refused):
    code = "action_forbidden"


class Conflict(Refused):
    code = "conflict"


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with an input.

    `where` is a JSON pointer into the manifest, a path in the package, or a form field's key; `parameters` fill the
    translated message and hint that belong to `code`.
    """

    code: str
    where: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)


class Invalid(Refused):
    code = "invalid"

    def __init__(self, faults: list[Fault] | tuple[Fault, ...]) -> None:
        super().__init__("invalid", count=len(faults))
        self.faults = tuple(faults)


class Failed(ConnectorError):
    code = "external_error"


class Unreachable(Failed):
    code = "unavailable"
    retryable = True


class UpstreamFault(Failed):
    code = "external_error"


class OutcomeUnknown(Failed):
    code = "connector_action_outcome_unknown"
