"""The webhook that digests are posted to, and how a message is signed (Standard Webhooks 1.0: symmetric, `v1`)."""

import base64
import hashlib
import hmac
import secrets
from typing import Final

from django.db import transaction
from yarl import URL

from connectors.access.models import User
from connectors.audit.recording import record_admin_event
from connectors.egress.errors import AddressRefused
from connectors.egress.policy import check_url
from connectors.errors import Fault, Invalid
from connectors.ledger.models import DigestWebhook
from connectors.vault.fields import place_of
from connectors.vault.sealing import open_sealed, seal
from connectors.vault.secret import Secret

PREFIX: Final = "whsec_"
SECRET_BYTES: Final = 32
LONGEST_URL: Final = 2048


def set_webhook(*, url: str, actor: User) -> Secret:
    """Post digests to this address from now on, and return the new secret to be shown once; replaces the one before."""
    _check_address(url)
    secret = Secret(PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode())
    with transaction.atomic():
        before = DigestWebhook.objects.select_for_update().first()
        DigestWebhook.objects.all().delete()
        webhook = DigestWebhook(url=url, set_by=actor)
        webhook.sealed = seal(secret, place=place_of(webhook))
        webhook.save()
        _record("digest_webhook_set", webhook, actor, before.url if before else "", url)
    return secret


@transaction.atomic
def remove_webhook(*, actor: User) -> None:
    """Post digests nowhere; without a webhook that is so already."""
    webhook = DigestWebhook.objects.select_for_update().first()
    if webhook is None:
        return
    pk, url = webhook.pk, webhook.url
    webhook.delete()
    webhook.pk = pk
    _record("digest_webhook_removed", webhook, actor, url, "")


def find_webhook() -> DigestWebhook | None:
    """Return where digests are posted to, if anywhere."""
    return DigestWebhook.objects.select_related("set_by").first()


def open_secret(webhook: DigestWebhook) -> Secret:
    """Return the signing secret; raises `vault.errors.CannotOpen` when it does not open."""
    return open_sealed(webhook.sealed, place=place_of(webhook))


def sign_message(secret: Secret, *, message_id: str, timestamp: int, body: bytes) -> str:
    """Return the value of `webhook-signature`: HMAC-SHA256 over `id.timestamp.body` with the decoded secret."""
    key = base64.b64decode(secret.reveal().removeprefix(PREFIX))
    signed = hmac.new(key, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(signed).decode()}"


def _check_address(url: str) -> None:
    if len(url) > LONGEST_URL:
        raise Invalid([Fault("value_too_long", "url", {"limit": LONGEST_URL, "length": len(url)})])
    try:
        check_url(url)
    except AddressRefused as refused:
        raise Invalid([Fault("webhook_address_refused", "url", dict(refused.parameters))]) from refused


def _record(act: str, webhook: DigestWebhook, actor: User, before: str, after: str) -> None:
    record_admin_event(
        actor=actor,
        act=act,
        target_kind="digest_webhook",
        target_id=webhook.pk,
        target_name=_origin(after or before)[:255],
        before={"url": _origin(before)} if before else {},
        after={"url": _origin(after)} if after else {},
    )


def _origin(url: str) -> str:
    """Return what the log may tell of the address: its path and query are often a secret of the receiver's."""
    return str(URL(url).origin())
