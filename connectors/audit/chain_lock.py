"""One at a time: whoever changes the chain of admin events holds its lock until the transaction ends.

PostgreSQL: an advisory lock. SQLite: transactions are immediate, so whoever is in one is alone.
"""

from typing import Final

from django.db import connection

_LOCK: Final = 0x706F636F_41444D31  # any number of our own


def lock_chain() -> None:
    """Be the only one to change the chain until this transaction ends."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
