"""The picture of an account: fetched once through the one door out, checked by its signature, kept like an icon.

Pages never show what lies elsewhere: a browser that fetched it would tell the service who looks at which page, and the
policy of our pages forbids it. Without a picture there are initials.
"""

import hashlib
import logging
from dataclasses import dataclass
from uuid import UUID

from asgiref.sync import async_to_sync

from connectors.access.models import User
from connectors.authorization.models import Connection, ConnectionAvatar
from connectors.egress.client import Timeouts, get_client
from connectors.errors import ConnectorError, NotFound
from connectors.packages.assets import image_type
from connectors.packages.limits import MAX_ICON_BYTES

log = logging.getLogger(__name__)
FETCH_SECONDS = 5.0  # somebody who signs in waits for it
REDIRECTS = 3
OK = 200


@dataclass(frozen=True, slots=True)
class Avatar:
    media_type: str
    content: bytes

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.content).hexdigest()


def fetch_avatar(url: str | None) -> Avatar | None:
    """Return the picture, nothing for whatever is none or cannot be had: an account is good without it."""
    if not url:
        return None
    try:
        return async_to_sync(_fetch)(url)
    except ConnectorError as error:
        log.info("an avatar was not fetched: %s", error.code)
        return None


async def _fetch(url: str) -> Avatar | None:
    answer = await get_client().request(
        "GET",
        url,
        headers={"Accept": "image/png, image/jpeg, image/webp, image/gif, image/svg+xml"},
        timeout=Timeouts(total=FETCH_SECONDS, connect=FETCH_SECONDS),
        max_bytes=MAX_ICON_BYTES,
        redirects=REDIRECTS,
    )
    media_type = image_type(answer.body) if answer.status == OK else None
    return Avatar(media_type, answer.body) if media_type else None


def save_avatar(connection: Connection, avatar: Avatar | None, *, same_picture: bool) -> None:
    """Keep an account's picture in the caller's transaction; `same_picture`: without a new one the old stays."""
    if avatar is not None:
        fields = {"media_type": avatar.media_type, "content": avatar.content, "digest": avatar.digest}
        ConnectionAvatar.objects.update_or_create(connection=connection, defaults=fields)
    elif not same_picture:
        ConnectionAvatar.objects.filter(connection=connection).delete()


def find_avatar(*, person: User, connection_id: UUID, digest: str) -> ConnectionAvatar:
    """Return the picture of a person's own account; another's does not exist."""
    rows = ConnectionAvatar.objects.filter(connection=connection_id, connection__person=person, digest=digest)
    found = rows.first()
    if found is None:
        raise NotFound("avatar_not_found")
    return found
