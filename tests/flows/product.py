"""The product as a person starts it: `manage.py up` in processes of its own, on loopback, in a folder of its own."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 60
STOP_SECONDS = 15
_LINK = re.compile(r"(http://\S+/welcome/\S+)")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Product:
    """A running product; use as a context manager. `output` holds every line it has printed."""

    def __init__(
        self, folder: Path, environment: Mapping[str, str] | None = None, arguments: Sequence[str] = ()
    ) -> None:
        self.folder = folder
        self._arguments = arguments
        self.port = free_port()
        self.example_port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.output: list[str] = []
        self._environment = environment or {}
        self._ready = threading.Event()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self.stop()

    def start(self) -> None:
        self.output.clear()
        self._ready.clear()
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "up", *self._arguments],
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        if not self._ready.wait(START_SECONDS):
            self.stop()
            raise AssertionError("The product did not start:\n" + "".join(self.output))

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.output.append(line)
            if "address" in line and "/mcp" in line:
                self._ready.set()
        self._ready.set()

    def stop(self, number: signal.Signals = signal.SIGINT) -> int:
        """Interrupt it as Ctrl-C does and return its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise
        self._reader.join(STOP_SECONDS)
        if self.process.stdout is not None:
            self.process.stdout.close()
        return self.process.returncode

    @property
    def environment(self) -> dict[str, str]:
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("POCO_", "DATABASE_", "REDIS_"))}
        return {
            **kept,
            "POCO_VAR_DIR": str(self.folder),
            "HOST": "127.0.0.1",
            "PORT": str(self.port),
            "POCO_EXAMPLE_PORT": str(self.example_port),
            **self._environment,
        }

    @property
    def sign_in_link(self) -> str | None:
        found = _LINK.search("".join(self.output))
        return found.group(1) if found else None

    @property
    def example_address(self) -> str:
        return f"http://127.0.0.1:{self.example_port}"

    @property
    def example_key(self) -> str:
        return (self.folder / "example" / "key").read_text()

    def pids(self) -> set[int]:
        """Return the process ids that it says it started."""
        return {int(pid) for line in self.output for pid in re.findall(r"started \(pid=(\d+)\)", line)}

    def manage(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a management command against the same data."""
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
