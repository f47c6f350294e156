"""One-time sign-in links: kept as a digest, good once and for a while, redeemed by one conditional UPDATE."""

import secrets
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from connectors.access.models import SignInLink, User
from connectors.access.tokens import digest_token
from connectors.audit.recording import record_admin_event
from connectors.errors import Refused


@transaction.atomic
def make_sign_in_link(*, user: User, lifetime: timedelta, actor: User | None = None) -> str:
    """Return the text of a new link, which exists nowhere else; links that nobody followed stay good beside it.

    Without an `actor` the machine's operator made it.
    """
    if not user.is_active:
        raise Refused("person_inactive", name=user.name)
    text = secrets.token_urlsafe(32)
    expires_at = timezone.now() + lifetime
    SignInLink.objects.create(digest=digest_token(text), user=user, expires_at=expires_at)
    record_admin_event(
        actor=actor,
        act="sign_in_link_made",
        target_kind="person",
        target_id=str(user.pk),
        target_name=user.name,
        before={},
        after={"expires_at": expires_at.isoformat()},
    )
    return text


@transaction.atomic
def redeem_sign_in_link(*, token: str) -> User:
    """Return whom the link signs in, using it up; used, expired and unknown links are refused alike.

    The UPDATE names only the link's own columns: of two requests at once, the second finds no unused row.
    """
    now = timezone.now()
    unused = SignInLink.objects.filter(digest=digest_token(token), used_at=None, expires_at__gt=now)
    if not unused.update(used_at=now):
        raise Refused("sign_in_link_invalid")
    user = SignInLink.objects.select_related("user").get(digest=digest_token(token)).user
    if not user.is_active:
        raise Refused("sign_in_link_invalid")
    return user


def sweep_sign_in_links() -> int:
    """Delete links that are used or expired and return how many there were."""
    now = timezone.now()
    deleted, _by_table = (
        SignInLink.objects.filter(expires_at__lte=now) | SignInLink.objects.filter(used_at__lte=now)
    ).delete()
    return deleted
