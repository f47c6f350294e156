"""Start everything with one command: web, worker and, on a laptop, the example MCP server."""

import multiprocessing
import os
import shlex
import signal
import socket
import sys
import threading
import time
import urllib.error
import urllib.request
from argparse import ArgumentParser, ArgumentTypeError
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import Group
from django.core.management import BaseCommand, CommandError, call_command
from django.urls import reverse
from honcho.manager import Manager
from honcho.printer import Printer
from honcho.process import Process

from connectors.access.models import User
from connectors.access.roles import ADMINISTRATOR
from connectors.access.sign_in import make_sign_in_link
from connectors.runtime.end_with_parent import end_with_parent

SIGN_IN_LIFETIME = timedelta(hours=24)
READY_SECONDS = 60


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default=settings.HOST)
        parser.add_argument("--port", type=port_number, default=settings.PORT)
        parser.add_argument("--web-processes", type=int, default=1)
        parser.add_argument("--no-worker", action="store_true", help="another machine runs the worker")
        parser.add_argument("--no-example", action="store_true", help="do not start the example MCP server")

    def handle(self, *_args: Any, **options: Any) -> None:
        if (options["host"], options["port"]) != (settings.HOST, settings.PORT):
            begin_again(options["host"], options["port"])
        with_example = settings.EMBEDDED and not options["no_example"]
        refuse_taken(options["host"], options["port"], "PORT")
        if with_example:
            refuse_taken("127.0.0.1", settings.EXAMPLE_PORT, "POCO_EXAMPLE_PORT")
        call_command("migrate", verbosity=0)
        call_command("collectstatic", verbosity=0, interactive=False)
        manager = Manager(Printer(sys.stdout, colour=sys.stdout.isatty()))
        manager._process_ctor = _Watched  # noqa: SLF001 - honcho has no public way to say it
        manager.add_process("web", self.web_command(options))
        if not options["no_worker"]:
            manager.add_process("worker", self.worker_command())
        if with_example:
            manager.add_process("example", self.example_command())
        announcement = threading.Thread(
            target=self.announce, args=(f"http://{options['host']}:{options['port']}/readyz", with_example), daemon=True
        )
        announcement.start()
        manager.loop()
        # A stop that was asked for is no failure.
        sys.exit(0 if manager.returncode in (130, 143) else manager.returncode)

    def web_command(self, options: dict[str, Any]) -> str:
        forwarded = (
            ["--proxy-headers", "--forwarded-allow-ips", ",".join(settings.TRUSTED_PROXIES)]
            if settings.TRUSTED_PROXIES
            else ["--no-proxy-headers"]
        )
        application = settings.ASGI_APPLICATION.rpartition(".")
        return self.python(
            *["uvicorn", f"{application[0]}:{application[2]}"],
            *["--host", options["host"], "--port", str(options["port"]), "--workers", str(options["web_processes"])],
            *["--loop", "uvloop", "--http", "httptools", "--ws", "none", "--no-access-log", "--no-server-header"],
            *["--log-level", "warning", "--timeout-graceful-shutdown", "4"],
            *forwarded,
        )

    def worker_command(self) -> str:
        # One worker beside the web process also keeps the clock; with many workers run `celery beat` on its own.
        return self.python(
            *["celery", "--quiet", "-A", "poco.celery", "worker", "--beat", "--pool", "threads", "--concurrency", "4"],
            *["--loglevel", "warning", "--without-gossip", "--without-mingle"],
        )

    def example_command(self) -> str:
        data = settings.VAR_DIR / "example"
        return self.python("connectors.examples.server", "--port", str(settings.EXAMPLE_PORT), "--data", str(data))

    @staticmethod
    def python(module: str, *arguments: str) -> str:
        # `exec` keeps the shell that honcho starts from standing between us and the signal.
        return "exec " + shlex.join([sys.executable, "-m", "connectors.runtime.end_with_parent", module, *arguments])

    def announce(self, ready_url: str, with_example: bool) -> None:  # noqa: FBT001 - passed by Thread's args
        """Wait until the web process is ready, then print where it is and what to do next."""
        started = time.monotonic()
        while not _answers(ready_url):
            if time.monotonic() - started > READY_SECONDS:
                self.stderr.write(f"{ready_url} did not answer within {READY_SECONDS} s; see the lines above.")
                return
            time.sleep(0.2)
        self.stdout.write(self.welcome(with_example=with_example))
        self.stdout.flush()

    def welcome(self, *, with_example: bool) -> str:
        lines = ["", f"  Poco Connectors is running at {settings.BACKEND_URL}/"]
        if link := first_sign_in():
            lines.append(f"  Administrator sign-in, works once, for 24 hours: {link}")
        else:
            lines.append("  Sign in with the account you have made.")
        example = "press “Install the example”, or drop your own package" if with_example else "drop a package"
        lines += [
            "",
            "  What to do next:",
            f"  1. Open Connectors, {example} on Install, then publish it.",
            "  2. In the Catalogue, connect it, and under My agents make an agent and grant it the connection.",
            f"  3. Give your MCP client the address {settings.BACKEND_URL}/mcp and the agent's token.",
        ]
        if with_example:
            lines.append(f"  The example's keyed door wants the key in {settings.VAR_DIR / 'example' / 'key'}.")
        return "\n".join([*lines, ""])


class _Watched(Process):  # type: ignore[misc] # honcho ships no types
    """What stands between us and each process ends with us; the process then ends with it."""

    def run(self, events: Any = None, ignore_signals: bool = False) -> None:  # noqa: FBT001, FBT002 - honcho's signature
        end_with_parent(signal.SIGKILL)
        if (us := multiprocessing.parent_process()) is None or us.is_alive():
            super().run(events, ignore_signals)


def port_number(text: str) -> int:
    if not text.isdecimal() or len(text) > len("65535") or not 0 < int(text) < 2**16:
        raise ArgumentTypeError("a port is a number from 1 to 65535")
    return int(text)


def begin_again(host: str, port: int) -> None:
    """Begin again with this place in the environment: pages, letters and callbacks read their address from there."""
    os.execve(sys.executable, sys.orig_argv, os.environ | {"HOST": host, "PORT": str(port)})  # noqa: S606 - ourselves


def refuse_taken(host: str, port: int, variable: str) -> None:
    """Say so when another program listens there already: whoever answers would be taken for us."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.create_server((host, port), family=family).close()
    except OSError as error:
        why = str(error.strerror).partition(" (while")[0]
        raise CommandError(f"Cannot listen on {host}:{port}: {why}. Choose another {variable}.") from error


def first_sign_in() -> str | None:
    """Return a one-time sign-in address while no administrator has a password, else None."""
    administrators = User.objects.filter(groups__name=ADMINISTRATOR, is_active=True)
    if any(person.has_usable_password() for person in administrators):
        return None
    person = administrators.first()
    if person is None:
        person = User.objects.create_user(username="admin", display_name="Administrator")
        person.groups.add(Group.objects.get(name=ADMINISTRATOR))
    token = make_sign_in_link(user=person, lifetime=SIGN_IN_LIFETIME)
    return settings.BACKEND_URL + reverse("console:welcome", args=[token])


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:  # noqa: S310 - our own address, made above
            return bool(answer.status == 200)  # noqa: PLR2004 - HTTP OK
    except (urllib.error.URLError, OSError):
        return False
