"""A program package that signs in whoever a code or a typed key names, by redirect or by form.

The text is the account's id, or JSON that says more of it: `{"id": "bob", "avatar_url": "…"}`.
"""

from pathlib import Path
from typing import Any

from connectors.catalogue.models import Connector
from tests.builders.booking import FIELDS, install
from tests.builders.packages import PROGRAM, PROGRAM_AUTH, build_package, build_program_manifest

TOKEN = "canary-guest-"
PROVIDER = """
import json, sys
from urllib.parse import urlencode

request = json.load(sys.stdin)
context, operation = request["context"], request["operation"]
if operation == "authorization_begin" and INTERACTION == "redirect":
    url = context["configuration"]["public"]["endpoint"] + "?" + urlencode({"state": context["state"]})
    result = {"type": "redirect", "authorize_url": url, "private_context": {"nonce": "canary-guest-nonce"}}
elif operation == "authorization_begin":
    result = {"type": "form"}
elif operation == "authorization_complete":
    given = context["submission"]
    text = given["code"] if given["type"] == "oauth_code" else given["values"]["api_key"]
    told = json.loads(text) if text.startswith("{") else {"id": text}
    result = {
        "external_account_id": told["id"],
        "external_account_name": told.get("name", told["id"].title()),
        "avatar_url": told.get("avatar_url"),
        "granted_scopes": told.get("scopes", []),
        "credential": {"values": {"token": "canary-guest-" + told["id"]}, "expires_at": told.get("expires_at")},
        "invalidates_existing_credential": told.get("invalidates", False),
    }
elif operation == "authorization_identity":
    result = {"identity": None}
elif operation == "credential_refresh":
    result = {"credential": {"values": {"token": context["credential"]["values"]["token"] + "+"}},
              "granted_scopes": ["find"]}
elif operation == "tools_discover":
    result = {"tools": []}
else:
    result = {}
print(json.dumps({"protocol_version": 1, "ok": True, "result": result}))
"""


def install_guests(folder: Path, *, interaction: str = "form", policy: str = "multiple_per_user") -> Connector:
    """Install and publish it; it can revoke what it gave out."""
    fields = FIELDS if interaction == "form" else []
    manifest = build_program_manifest(
        key="guests",
        auth={**PROGRAM_AUTH, "interaction": interaction, "fields": fields},
        program={**PROGRAM, "capabilities": ["credential_revoke", "credential_refresh"]},
        connection_policy=policy,
    )
    files: dict[str, Any] = {"provider/main.py": f"INTERACTION = {interaction!r}\n{PROVIDER}"}
    archive = build_package(folder / "guests.zip", manifest=manifest, files=files)
    return install(archive, {"endpoint": "https://guests.example.com/authorize"})
