"""Say what went wrong, and above all on which side of the hand-over."""

import errno
import ssl
from typing import Final

from aiohttp import (
    ClientConnectorCertificateError,
    ClientConnectorDNSError,
    ClientConnectorError,
    ClientConnectorSSLError,
    ClientResponseError,
)

from connectors.egress.attempt import Attempt
from connectors.egress.errors import BrokenAfterSending
from connectors.errors import ConnectorError, Unreachable

_REASONS: Final = {
    errno.ECONNREFUSED: "refused",
    errno.EHOSTUNREACH: "no_route",
    errno.ENETUNREACH: "no_route",
    errno.ETIMEDOUT: "timed_out",
    errno.ECONNRESET: "reset",
    errno.EPIPE: "reset",
}
_CERTIFICATE_REASONS: Final = {10: "certificate_expired", 62: "certificate_name", 64: "certificate_name"}  # X509_V_ERR


def translate_failure(error: Exception, attempt: Attempt, *, started: bool = False) -> ConnectorError:
    """Return Unreachable for what failed before the request was handed over, BrokenAfterSending for anything later.

    `started` tells whether the answer had begun. Neither carries a header, a path or a query: they may hold secrets.
    """
    if attempt.handed_over:
        return BrokenAfterSending(reason=_reason_after(error), host=attempt.host, started=started)
    if attempt.refusal:
        return attempt.refusal
    stage, reason = _stage_and_reason(error, attempt)
    return Unreachable(stage=stage, reason=reason, host=attempt.host)


def _reason_after(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "timed_out"
    return "malformed" if isinstance(error, ClientResponseError) else "disconnected"


def _stage_and_reason(error: Exception, attempt: Attempt) -> tuple[str, str]:
    if isinstance(error, TimeoutError):
        return attempt.stage, "no_free_connection" if attempt.stage == "http" else "timed_out"
    if isinstance(error, ClientConnectorCertificateError):
        return "tls", _certificate_reason(error.certificate_error)
    if isinstance(error, ClientConnectorSSLError):
        return "tls", "handshake"
    if isinstance(error, ClientConnectorDNSError):
        return "dns", "name_not_found"
    number = error.os_error.errno if isinstance(error, ClientConnectorError) else None
    return attempt.stage, _REASONS.get(number or 0, "failed")


def _certificate_reason(error: Exception) -> str:
    code = error.verify_code if isinstance(error, ssl.SSLCertVerificationError) else 0
    return _CERTIFICATE_REASONS.get(code, "certificate_untrusted")
