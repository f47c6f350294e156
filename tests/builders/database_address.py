"""The test's database for another process."""

from urllib.parse import quote

from django.db import connection as database


def database_url(name: str, *, port: int | None = None) -> str:
    """Return the address; `name` tells the process apart, `port` leads through a proxy."""
    known = database.settings_dict
    if database.vendor == "sqlite":
        return f"sqlite:///{known['NAME']}"
    person = f"{quote(known['USER'])}:{quote(known['PASSWORD'])}"
    return f"postgres://{person}@{known['HOST']}:{port or known['PORT']}/{known['NAME']}?application_name={name}"


def end_sessions(name: str) -> None:
    """PostgreSQL notices a little later than we do that a process was killed."""
    if database.vendor == "postgresql":
        with database.cursor() as cursor:
            ending = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = %s"
            cursor.execute(ending, [name])
