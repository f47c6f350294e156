"""Signing in at the studio: authorization code with PKCE, refresh and revocation (RFC 6749, 7636, 7009)."""

from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode, urlsplit

import httpx
from faults import ProviderError

TIMEOUT = httpx.Timeout(20, connect=5)
SCOPES = ("designs.read", "designs.write")


def validate_configuration(context):
    configuration = context["configuration"]
    given = {**configuration["public"], **configuration["secret"]}
    missing = [name for name in ("base_url", "client_id", "client_secret") if not given.get(name)]
    if missing and context.get("require_complete"):
        raise ProviderError("bad_request", f"Still missing: {', '.join(missing)}")
    if given.get("base_url") and urlsplit(given["base_url"]).path.strip("/"):
        raise ProviderError("bad_request", "The service address must not have a path")
    return {}


def identify(context):
    """Tokens belong to one studio and one client; a rotated client secret leaves them good."""
    return {"identity": {"base_url": base(context), "client_id": context["configuration"]["public"].get("client_id")}}


def begin(context):
    query = {
        "response_type": "code",
        "client_id": context["configuration"]["public"]["client_id"],
        "redirect_uri": context["redirect_uri"],
        "scope": " ".join(SCOPES),
        "state": context["state"],
        "code_challenge": context["code_challenge"],
        "code_challenge_method": "S256",
    }
    if context.get("intent") == "reauthorize":
        query["prompt"] = "login"
    url = f"{base(context)}/oauth/authorize?{urlencode(query)}"
    return {"type": "redirect", "authorize_url": url, "private_context": {"redirect_uri": context["redirect_uri"]}}


def complete(context):
    submission = context["submission"]
    if submission.get("type") != "oauth_code":
        raise ProviderError("bad_request", "Signing in happens at the studio")
    if submission["redirect_uri"] != context["private_context"].get("redirect_uri"):
        raise ProviderError("bad_request", "The sign-in came back to another address than it left from")
    granted = token_request(
        context,
        grant_type="authorization_code",
        code=submission["code"],
        redirect_uri=submission["redirect_uri"],
        code_verifier=submission["code_verifier"],
    )
    me = account(context, granted["access_token"])
    return {
        "external_account_id": str(me["id"]),
        "external_account_name": me.get("name"),
        "avatar_url": None,
        "granted_scopes": scopes_of(granted) or list(SCOPES),
        "credential": credential_of(granted),
        "public_metadata": {},
        "invalidates_existing_credential": False,
    }


def refresh(context):
    """Scopes may come back unsaid (they are unchanged), and the refresh token too (the old one stays good)."""
    old = stored(context).get("refresh_token")
    if not old:
        raise ProviderError("authorization_required", "The studio wants a new sign-in")
    granted = token_request(context, grant_type="refresh_token", refresh_token=old)
    return {"credential": credential_of(granted, old), "granted_scopes": scopes_of(granted)}


def revoke(context):
    token = stored(context).get("refresh_token") or stored(context).get("access_token", "")
    response = post(context, "/oauth/revoke", {"token": token})
    if not response.is_success:
        raise ProviderError("unavailable", "The studio did not revoke the token", retryable=True)
    return {}


def stored(context):
    """The credential's values: they come with their dates around them, or from older platforms alone."""
    return context["credential"].get("values", context["credential"])


def base(context):
    return context["configuration"]["public"].get("base_url", "").rstrip("/")


def credential_of(granted, old_refresh_token=None):
    values = {"access_token": granted["access_token"]}
    if refresh_token := granted.get("refresh_token") or old_refresh_token:
        values["refresh_token"] = refresh_token
    expires_at = moment(granted.get("expires_in"))
    return {"values": values, "expires_at": expires_at, "refresh_expires_at": moment(granted.get("refresh_expires_in"))}


def moment(seconds):
    if seconds is None:
        return None
    return (datetime.now(UTC) + timedelta(seconds=int(seconds))).isoformat(timespec="seconds").replace("+00:00", "Z")


def scopes_of(granted):
    return granted["scope"].split() if granted.get("scope") else None


def token_request(context, **form):
    response = post(context, "/oauth/token", form)
    if response.status_code in {400, 401}:
        raise ProviderError("authorization_required", "The studio wants a new sign-in")
    if response.status_code == 429:
        raise ProviderError("rate_limited", "The studio asks to slow down", retryable=True)
    if not response.is_success:
        raise ProviderError("unavailable", f"The studio answered {response.status_code}", retryable=True)
    try:
        granted = response.json()
    except ValueError as error:
        raise ProviderError("external_error", "The studio's answer was not JSON") from error
    if not isinstance(granted, dict) or not granted.get("access_token"):
        raise ProviderError("external_error", "The studio's answer held no token")
    return granted


def post(context, path, form):
    configuration = context["configuration"]
    client = (configuration["public"]["client_id"], configuration["secret"]["client_secret"])
    try:
        return httpx.post(base(context) + path, data=form, auth=client, timeout=TIMEOUT, follow_redirects=False)
    except httpx.HTTPError as error:
        raise ProviderError("unavailable", "The studio could not be reached", retryable=True) from error


def account(context, access_token):
    try:
        response = httpx.get(
            f"{base(context)}/api/me", headers={"Authorization": f"Bearer {access_token}"}, timeout=TIMEOUT
        )
        response.raise_for_status()
        return response.json()
    except (httpx.HTTPError, ValueError) as error:
        raise ProviderError("external_error", "The studio did not say whose account this is") from error
