"""Reading text/event-stream as it arrives (WHATWG HTML §9.2), without a limit of its own: the transport caps bytes."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Event:
    kind: str
    data: str


class EventReader:
    """Feed it chunks; it hands back the events that are complete. Comments, ids and retry hints are passed over."""

    def __init__(self) -> None:
        self._rest = b""
        self._kind = ""
        self._data: list[str] = []

    def feed(self, chunk: bytes) -> list[Event]:
        """Return the events this chunk completes."""
        text = self._rest + chunk
        # A carriage return at the very end may be half of CRLF: it waits for the next chunk.
        held = text.endswith(b"\r")
        lines = (text[:-1] if held else text).replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self._rest = lines.pop() + (b"\r" if held else b"")
        events = []
        for line in lines:
            event = self._read_line(line.decode("utf-8", "replace"))
            if event is not None:
                events.append(event)
        return events

    def _read_line(self, line: str) -> Event | None:
        if not line:
            event = Event(self._kind or "message", "\n".join(self._data)) if self._data else None
            self._kind, self._data = "", []
            return event
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._kind = value
        return None
