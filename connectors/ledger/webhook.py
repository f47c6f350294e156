"""The webhook that digests are posted to, and how a message is signed (Standard Webhooks 1.0: symmetric, `v1`).

A new secret for the same address leaves the old one signing beside it for a day, so that the receiver can be told
without a message going amiss; another address starts with its own secret alone.
"""

import base64
import hashlib
import hmac
import secrets
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.utils import timezone
from yarl import URL

from connectors.access.models import User
from connectors.audit.chain_lock import lock_chain
from connectors.audit.recording import record_admin_event
from connectors.egress.errors import AddressRefused
from connectors.egress.policy import check_url
from connectors.errors import Fault, Invalid
from connectors.ledger.models import DigestWebhook
from connectors.vault.errors import CannotOpen
from connectors.vault.fields import place_of
from connectors.vault.sealing import open_sealed, seal
from connectors.vault.secret import Secret

PREFIX: Final = "whsec_"
SECRET_BYTES: Final = 32
LONGEST_URL: Final = 2048
OLD_SECRET_HOLDS: Final = timedelta(days=1)


def set_webhook(*, url: str, actor: User) -> Secret:
    """Post digests to this address from now on, and return the new secret to be shown once.

    Another address replaces the webhook and what was on its way to it; the same one keeps both.
    """
    _check_address(url)
    secret = Secret(PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode())
    with transaction.atomic():
        lock_chain()  # where there is no row yet there is none to lock, and two would set one each
        before = DigestWebhook.objects.select_for_update().first()
        if before is not None and before.url == url:
            _renew_secret(before, secret, actor)
        else:
            DigestWebhook.objects.all().delete()
            webhook = DigestWebhook(url=url, set_by=actor)
            webhook.sealed = seal(secret, place=place_of(webhook))
            webhook.save()
            _record("digest_webhook_set", webhook, actor, before.url if before else "", url)
    return secret


@transaction.atomic
def remove_webhook(*, actor: User) -> None:
    """Post digests nowhere; without a webhook that is so already."""
    lock_chain()  # before the row, as setting one does
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


def open_secrets(webhook: DigestWebhook, *, now: datetime) -> tuple[Secret, ...]:
    """Return the secrets to sign with, the newest first; raises `vault.errors.CannotOpen` when they do not open."""
    newest, *before = open_sealed(webhook.sealed, place=place_of(webhook)).reveal().split()
    still = before if now - webhook.set_at < OLD_SECRET_HOLDS else []
    return tuple(Secret(text) for text in (newest, *still))


def sign_message(secret: Secret, *, message_id: str, timestamp: int, body: bytes) -> str:
    """Return the value of `webhook-signature`: HMAC-SHA256 over `id.timestamp.body` with the decoded secret."""
    key = base64.b64decode(secret.reveal().removeprefix(PREFIX))
    signed = hmac.new(key, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(signed).decode()}"


def _renew_secret(webhook: DigestWebhook, secret: Secret, actor: User) -> None:
    """The column holds the newest secret and, after a space, the one it took the place of."""
    try:
        before = open_secrets(webhook, now=timezone.now())[0].reveal()
    except CannotOpen:  # its key is gone: nothing is left to sign with beside the new one
        before = ""
    both = Secret(f"{secret.reveal()} {before}".strip())
    webhook.sealed, webhook.set_by, webhook.set_at = seal(both, place=place_of(webhook)), actor, timezone.now()
    webhook.save()
    _record("digest_webhook_secret_renewed", webhook, actor, webhook.url, webhook.url)


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
        target_name=origin_of(after or before)[:255],
        before={"url": origin_of(before)} if before else {},
        after={"url": origin_of(after)} if after else {},
    )


def origin_of(url: str) -> str:
    """Return what the log may tell of the address: its path and query are often a secret of the receiver's."""
    return str(URL(url).origin())
