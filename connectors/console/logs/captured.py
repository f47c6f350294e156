"""What was kept of a call, as it is read: JSON set out in lines, anything else as it is."""

import json
from dataclasses import dataclass
from datetime import datetime

from connectors.access.models import User
from connectors.audit.capture import open_content
from connectors.audit.models import CallRecord


@dataclass(frozen=True, slots=True)
class Opened:
    arguments: str
    arguments_cut: bool
    result: str
    result_cut: bool
    expires_at: datetime


def open_captured(call: CallRecord, reader: User) -> Opened | None:
    """Return what was kept and leave the event that it was read; None when it has gone."""
    content = open_content(call=call, actor=reader)
    if content is None:
        return None
    return Opened(
        arguments=_set_out(content.arguments),
        arguments_cut=content.arguments_cut,
        result=_set_out(content.result),
        result_cut=content.result_cut,
        expires_at=content.expires_at,
    )


def _set_out(text: str) -> str:
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):  # masked, cut, or no JSON to begin with
        return text
