"""Post a signed message to the webhook, as Standard Webhooks 1.0 has it, by the one door out."""

import time
from typing import Any, Final

import orjson
from asgiref.sync import async_to_sync
from django.utils import timezone

from connectors.egress.client import Answer, Timeouts, get_client
from connectors.ledger.models import DigestWebhook
from connectors.ledger.webhook import open_secrets, sign_message

TIMEOUTS: Final = Timeouts(total=20.0)
ANSWER_BYTES: Final = 64 * 1024


def post_message(webhook: DigestWebhook, message: dict[str, Any], *, message_id: str) -> Answer:
    """Post a message signed with every secret that still holds, and return what the receiver answered.

    A redirect is an answer like any other and is not followed. Raises what `EgressClient.request` does, and
    `vault.errors.CannotOpen`.
    """
    body, timestamp = orjson.dumps(message), int(time.time())
    secrets = open_secrets(webhook, now=timezone.now())
    signatures = [sign_message(secret, message_id=message_id, timestamp=timestamp, body=body) for secret in secrets]
    headers = {
        "Content-Type": "application/json",
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(signatures),
    }
    return async_to_sync(_request)(webhook.url, headers, body)


def is_taken(status: int) -> bool:
    """Whether an answer says that the message was taken (RFC 9110 §15.3)."""
    return 200 <= status < 300  # noqa: PLR2004 - the bounds of "successful"


async def _request(url: str, headers: dict[str, str], body: bytes) -> Answer:
    return await get_client().request("POST", url, headers=headers, body=body, timeout=TIMEOUTS, max_bytes=ANSWER_BYTES)
