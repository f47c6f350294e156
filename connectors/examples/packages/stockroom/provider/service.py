"""Stockroom's REST API, and its answers as faults of the protocol."""

import httpx
from faults import ProviderError

TIMEOUT = httpx.Timeout(20, connect=5)
FAULTS = {
    400: ("bad_request", "Stockroom did not accept the request", False),
    401: ("authorization_required", "Stockroom did not accept the access key", False),
    403: ("action_forbidden", "The account may not do this", False),
    404: ("not_found", "There is no such item", False),
    409: ("conflict", "The stock has changed meanwhile; read the item again", False),
    422: ("bad_request", "Stockroom did not accept the values", False),
    429: ("rate_limited", "Stockroom asks to slow down", True),
}


def call(context, method, path, *, access_key, query=None, body=None, once=None):
    """The decoded answer. `once` is the invocation's id: with it Stockroom books a repeated request only once."""
    base = context["configuration"]["public"]["base_url"].rstrip("/")
    headers = {"Authorization": f"Bearer {access_key}", "Accept": "application/json"}
    if once:
        headers["Idempotency-Key"] = once
    try:
        with httpx.Client(timeout=TIMEOUT, follow_redirects=False) as client:
            response = client.request(method, base + path, params=query, json=body, headers=headers)
    except httpx.ConnectError as error:
        raise ProviderError("unavailable", "Stockroom could not be reached", retryable=True) from error
    except httpx.HTTPError as error:
        raise lost(writing=method != "GET") from error
    return decode(response, writing=method != "GET")


def lost(*, writing):
    """The request was sent and no answer came. A write may have happened, so nobody is told to try again."""
    if writing:
        return ProviderError("external_error", "No answer came; the change may have been made. Check before repeating")
    return ProviderError("unavailable", "Stockroom did not answer in time", retryable=True)


def decode(response, *, writing):
    if response.status_code in FAULTS:
        code, message, retryable = FAULTS[response.status_code]
        raise ProviderError(code, message, retryable=retryable and not writing)
    if not response.is_success:
        raise ProviderError("unavailable", f"Stockroom answered {response.status_code}", retryable=not writing)
    try:
        return response.json()
    except ValueError as error:
        raise ProviderError("external_error", "Stockroom's answer was not JSON") from error
