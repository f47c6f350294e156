"""Errors of ours at the command line: one line each on stderr and exit code 1, never a traceback."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.management import CommandError

from connectors.console import fault_words  # noqa: F401 - registers what faults of names say
from connectors.console.messages import describe_error
from connectors.errors import ConnectorError, Invalid
from connectors.manifest.fault_messages import describe_fault


@contextmanager
def told_in_words() -> Iterator[None]:
    """Turn an expected error into a CommandError that says what is wrong, where, and how to mend it."""
    try:
        yield
    except Invalid as invalid:
        texts = (describe_fault(fault, "en") for fault in invalid.faults)
        raise CommandError("\n".join(f"{text.where}: {text.message} {text.hint}".strip() for text in texts)) from None
    except ConnectorError as error:
        details = ", ".join(f"{name}={value}" for name, value in error.parameters.items())
        raise CommandError(f"{describe_error(error)} [{error.code}{': ' if details else ''}{details}]") from None
