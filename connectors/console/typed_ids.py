"""Ids as they stand in a page's address or form."""

import uuid


def read_id(text: str) -> uuid.UUID | None:
    """Return the id; what is not a UUID is as good as none."""
    try:
        return uuid.UUID(text)
    except ValueError:
        return None
