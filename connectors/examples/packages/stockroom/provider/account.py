"""The administrator's configuration, and one person's access key."""

from urllib.parse import urlsplit

import service
from faults import ProviderError


def validate_configuration(context):
    """What is given must be right; what is still missing matters only when everything has to be there."""
    public = context["configuration"]["public"]
    address = public.get("base_url")
    if not address:
        if context.get("require_complete"):
            raise ProviderError("bad_request", "The service address is missing")
        return {}
    parts = urlsplit(address)
    if parts.path.strip("/") or parts.query:
        raise ProviderError("bad_request", "The service address must not have a path or a query")
    return {}


def identify(context):
    """A key belongs to one Stockroom; another address needs other keys, other page sizes do not."""
    parts = urlsplit(context["configuration"]["public"].get("base_url", ""))
    return {"identity": {"origin": f"{parts.scheme}://{parts.netloc}".lower()}}


def begin(_context):
    return {"type": "form"}


def complete(context):
    """Try the key once: what does not work is not kept."""
    submission = context["submission"]
    if submission.get("type") != "credentials":
        raise ProviderError("bad_request", "Stockroom asks for an access key")
    values = submission["values"]
    me = service.call(context, "GET", "/api/me", access_key=values["access_key"])
    return {
        "external_account_id": str(me["id"]),
        "external_account_name": me.get("name"),
        "avatar_url": None,
        "granted_scopes": [],
        "credential": {
            "values": {"access_key": values["access_key"], "warehouse": values["warehouse"]},
            "expires_at": None,
            "refresh_expires_at": None,
        },
        "public_metadata": {"warehouse": values["warehouse"]},
        "invalidates_existing_credential": False,
    }
