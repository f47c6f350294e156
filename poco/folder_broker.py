"""The broker of the embedded form: kombu's folder transport, with messages that appear whole or not at all.

kombu opens a message under its final name and writes it afterwards, and makes a table of queues the same way. Whoever
looks in between finds an empty file, which ends a worker. Here everything is written beside its place and renamed.
"""

import uuid
from pathlib import Path
from queue import Empty
from time import monotonic
from typing import Any

from kombu.exceptions import ChannelError
from kombu.transport import TRANSPORT_ALIASES, filesystem
from kombu.utils.encoding import bytes_to_str, str_to_bytes
from kombu.utils.json import dumps, loads

UNFINISHED, TAKEN = ".unfinished", ".taken"  # neither is any queue's message


class Channel(filesystem.Channel):
    def _put(self, queue: str, payload: Any, **_kwargs: Any) -> None:  # type: ignore[override] # as in kombu
        name = f"{round(monotonic() * 1000)}_{uuid.uuid4()}.{queue}.msg"
        try:
            _write_whole(Path(self.data_folder_out) / name, payload)
        except OSError as error:
            raise ChannelError(f"Cannot add {name!r}") from error

    def _get(self, queue: str) -> Any:  # type: ignore[override] # as in kombu
        folder = Path(self.data_folder_in)
        for name in sorted(each.name for each in folder.iterdir()):
            if name.partition(".")[2] != f"{queue}.msg":
                continue
            taken = folder / f"{name}{TAKEN}"
            try:
                (folder / name).rename(taken)
            except FileNotFoundError:  # another worker has it
                continue
            payload = taken.read_bytes()
            taken.unlink()
            return loads(bytes_to_str(payload))
        raise Empty

    def _queue_bind(self, exchange: str, routing_key: str, pattern: str | None, queue: str) -> None:
        table = self._exchange_file(exchange)  # type: ignore[attr-defined] # its stubs leave it out
        if not table.exists():
            _write_whole(table, [], replace=False)
        super()._queue_bind(exchange, routing_key, pattern, queue)


class Transport(filesystem.Transport):
    Channel = Channel


def use_folder_broker() -> None:
    """Let `filesystem://` mean this transport, in this process."""
    TRANSPORT_ALIASES["filesystem"] = f"{__name__}:Transport"


def _write_whole(path: Path, value: Any, *, replace: bool = True) -> None:
    unfinished = path.with_name(f"{path.name}.{uuid.uuid4()}{UNFINISHED}")
    unfinished.write_bytes(str_to_bytes(dumps(value)))
    if replace:
        unfinished.replace(path)
        return
    try:
        path.hardlink_to(unfinished)
    except FileExistsError:  # somebody else was first
        pass
    finally:
        unfinished.unlink()
