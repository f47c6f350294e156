"""How an outgoing request fails, told apart by whether it may have happened.

Refused
└── RequestRefused         a header or method that may not be sent; nothing was
Unreachable                nothing was handed over; parameters: stage (address, dns, tcp, tls, http), reason, host
└── AddressRefused         the address is not one we may connect to (stage "address")
UpstreamFault              it answered, and too much or nonsense ("response_too_large", "redirect_refused", …)
OutcomeUnknown
└── BrokenAfterSending     the request was handed over, and no whole answer came back: it may have happened
"""

from connectors.errors import OutcomeUnknown, Refused, Unreachable


class RequestRefused(Refused):
    code = "request_refused"


class AddressRefused(Unreachable):
    code = "address_refused"
    retryable = False


class BrokenAfterSending(OutcomeUnknown):
    """Parameters: reason (timed_out, disconnected, …), host, and started (whether an answer had begun)."""
