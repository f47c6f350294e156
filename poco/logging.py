"""Logging filters."""

import logging

from connectors.vault.redaction import redact_text


class RedactFilter(logging.Filter):
    """Mask whatever looks like a secret before a record reaches a handler (safety §30)."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg = redact_text(record.getMessage())
        record.args = None
        if record.exc_info and not record.exc_text:
            record.exc_text = redact_text(logging.Formatter().formatException(record.exc_info))
        return True
