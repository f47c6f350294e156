"""How a program call ends badly.

Failed
├── ProgramUnavailable (Unreachable)  it was never handed the request: not started, died unread, no slot in time
├── ProgramTimedOut                   it ran past its limit, and it only reads
├── ProgramFault (UpstreamFault)      it answered against the protocol, and it only reads
├── ProgramRefused (UpstreamFault)    it answered with a failure of its own
└── OutcomeUnknown                    it was handed a request that may change something, and gave no valid answer
"""

from connectors.errors import Failed, Refused, Unreachable, UpstreamFault

# The codes a program may report (§8); any other is an external error.
REPORTED_CODES = frozenset(
    {
        "bad_request",
        "action_forbidden",
        "authorization_required",
        "insufficient_scope",
        "rate_limited",
        "unavailable",
        "external_error",
    }
)


class ProgramUnavailable(Unreachable):
    code = "connector_unavailable"


class BudgetExceeded(Failed):
    """The call's whole budget ran out before anything was handed over."""

    code = "budget_exceeded"


class ProgramTimedOut(Failed):
    code = "program_timeout"


class ProgramFault(UpstreamFault):
    """`reason` is a stable word, `detail` says where and what; neither carries what the program printed."""

    code = "program_protocol"


class ProgramRefused(UpstreamFault):
    """The program's own failure: `message` is cut and redacted, `reported` is the code as it was given."""

    def __init__(self, reported: str, *, message: str, retryable: bool) -> None:
        code = reported if reported in REPORTED_CODES else "external_error"
        super().__init__(code, message=message, reported=reported)
        self.retryable = retryable


class RequestRefused(Refused):
    """The request breaks a limit of the protocol; nothing was started."""

    code = "arguments_invalid"


class CapabilityMissing(Refused):
    """The manifest does not declare what was asked for."""

    code = "capability_missing"
