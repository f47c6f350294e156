"""The embedded broker under several processes: no message is seen before it is whole, none is lost or taken twice."""

import json
import subprocess
import sys
import time
from pathlib import Path
from queue import Empty

import pytest
from kombu import Connection
from kombu.transport import filesystem

from poco import folder_broker

EACH = 150
WRITER = """
import sys
from tests.project.test_folder_broker import EACH, open_queue
with open_queue(sys.argv[1]) as (_connection, queue):
    for number in range(EACH):
        queue.put({"from": sys.argv[2], "number": number, "more": "x" * 2000})
"""


def open_queue(folder, transport=folder_broker.Transport):
    return _Opened(Path(folder), transport)


class _Opened:
    def __init__(self, folder: Path, transport: type) -> None:
        self.name = folder.name  # kombu remembers in a process which queues it has bound, whatever the folder
        options = {"data_folder_in": str(folder / "m"), "data_folder_out": str(folder / "m"), "control_folder": str(folder / "c")}  # fmt: skip
        self.connection = Connection(transport=transport, transport_options=options)

    def __enter__(self):
        self.queue = self.connection.SimpleQueue(self.name, serializer="json")
        return self.connection, self.queue

    def __exit__(self, *_exception: object) -> None:
        self.queue.close()
        self.connection.close()


@pytest.fixture
def folder(tmp_path):
    for name in ("m", "c"):
        (tmp_path / name).mkdir()
    return tmp_path


def test_messages_of_two_processes_arrive_whole_and_once(folder):
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(folder), who]) for who in "ab"]
    arrived = []
    with open_queue(folder) as (_connection, queue):
        end = time.monotonic() + 60
        while len(arrived) < 2 * EACH and time.monotonic() < end:
            try:
                message = queue.get(timeout=0.5)
            except Empty:
                continue
            message.ack()
            arrived.append((message.payload["from"], message.payload["number"]))
    assert [writer.wait(30) for writer in writers] == [0, 0]
    assert sorted(arrived) == [(who, number) for who in "ab" for number in range(EACH)]
    assert list((folder / "m").iterdir()) == []


def test_a_message_that_is_being_written_is_not_there_yet(folder):
    with open_queue(folder) as (_connection, queue):
        (folder / "m" / f"1_x.{folder.name}.msg.1{folder_broker.UNFINISHED}").write_bytes(b"")
        with pytest.raises(Empty):
            queue.get(block=False)


def test_kombus_own_transport_would_find_it_empty(folder):
    """What this one is for: when this fails, kombu has mended it and ours can go."""
    with open_queue(folder, filesystem.Transport) as (_connection, queue):
        (folder / "m" / f"1_x.{folder.name}.msg").write_bytes(b"")  # opened, not yet written
        with pytest.raises(ValueError, match="Expecting value"):
            queue.get(block=False)


def test_a_table_of_queues_is_made_whole_and_kept_by_the_second_to_make_it(folder):
    for number in range(2):
        with open_queue(folder) as (_connection, queue):
            queue.put({"n": number})
            message = queue.get(timeout=5)
            message.ack()
            assert message.payload == {"n": number}
    tables = list((folder / "c").iterdir())
    assert [(path.name, len(json.loads(path.read_bytes()))) for path in tables] == [(f"{folder.name}.exchange", 1)]
