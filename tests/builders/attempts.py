"""Attempts to sign in, as rows."""

from datetime import timedelta
from itertools import count
from typing import Any

from django.utils import timezone

from connectors.access.models import User
from connectors.authorization.models import AuthorizationSession
from connectors.catalogue.models import Connector
from connectors.vault.fields import place_of
from connectors.vault.sealing import seal
from connectors.vault.secret import Secret

_numbers = count(1)
CONTEXT = '{"verifier": "canary-verifier", "private_context": {}, "grant": null}'


def make_attempt(connector: Connector, person: User, status: str = "pending", **fields: Any) -> AuthorizationSession:
    attempt = AuthorizationSession(
        state_digest=f"{next(_numbers):064d}",
        browser_digest="0" * 64,
        person=person,
        connector=connector,
        configuration_revision=connector.configuration_revision,
        authorization_fingerprint=connector.authorization_fingerprint,
        version_id=connector.version_id,
        endpoints={"issuer": "", "names_itself": False, "scopes": []},
        status=status,
        expires_at=timezone.now() + timedelta(minutes=10),
        **fields,
    )
    attempt.sealed = seal(Secret(CONTEXT), place=place_of(attempt))
    attempt.save()
    return attempt
