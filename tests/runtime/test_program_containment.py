"""Nothing of a program outlives its call, and nothing of ours reaches it (safety 36, "Programs")."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from connectors.runtime import containment
from connectors.runtime.containment import describe_containment
from connectors.runtime.deadline import Deadline
from connectors.runtime.keeper_client import get_keeper
from connectors.runtime.operations import AUTHORIZATION_IDENTITY
from connectors.runtime.program import ProgramSource, invoke_program
from connectors.runtime.program_errors import ProgramTimedOut, ProgramUnavailable
from tests.builders.misbehaviours import FORK_BOMB, SLEEP
from tests.builders.programs import READ, make_context, make_program

ROOT = os.geteuid() == 0
ANSWER = """
def answer(value):
    print(json.dumps({"protocol_version": 1, "ok": True, "result": {"identity": value}}))
"""


async def invoke(program: ProgramSource, *, seconds: float = 30) -> Any:
    context = make_context("authorization_identity")
    answer = await invoke_program(program, AUTHORIZATION_IDENTITY, context, deadline=Deadline.after(seconds))  # type: ignore[arg-type]  # a builder returns any context
    return answer.identity


def ask(folder: Path, source: str, **files: str | bytes) -> ProgramSource:
    return make_program(folder, f"{READ}{ANSWER}{source}", **files)


def marked(marker: str) -> list[int]:
    """Return the processes, zombies apart, whose command line names the marker."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.status() != psutil.STATUS_ZOMBIE and any(marker in part for part in process.cmdline()):
                found.append(process.pid)
    return found


def leftovers() -> list[str]:
    return [entry.name for entry in get_keeper().base.iterdir()]


class Bell:
    """Rung by a program that has got as far as `line`."""

    def __init__(self) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        self._server.setblocking(False)
        self.line = f"import socket; bell = socket.create_connection({self._server.getsockname()!r})\n"

    async def rung(self) -> None:
        async with asyncio.timeout(20):
            connection, _address = await asyncio.get_running_loop().sock_accept(self._server)
        connection.close()

    def close(self) -> None:
        self._server.close()


@pytest.fixture
def bell() -> Iterator[Bell]:
    bell = Bell()
    yield bell
    bell.close()


ESCAPES = {
    "a child": "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)', MARKER])",
    "a child in a session of its own": (
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)', MARKER], start_new_session=True)"
    ),
    "an orphan of a double fork with setsid": """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in range(1, 65):
            try: __import__('signal').signal(number, __import__('signal').SIG_IGN)
            except (OSError, ValueError): pass
        os.execv(sys.executable, [sys.executable, '-c', 'import time; time.sleep(60)', MARKER])
    os._exit(0)
os.wait()
""",
}


@pytest.mark.parametrize("escape", ESCAPES.values(), ids=list(ESCAPES))
@pytest.mark.parametrize("end", ["", "time.sleep(60)"], ids=["after an answer", "after a time-out"])
async def test_what_a_program_started_ends_within_two_seconds_of_it(tmp_path: Path, escape: str, end: str):
    marker = f"marker-{tmp_path.name}-{os.getpid()}"
    program = ask(tmp_path, f"import subprocess\nMARKER = {marker!r}\n{escape}\nanswer(1)\nsys.stdout.flush()\n{end}")
    limit = 1.0
    started = time.monotonic()
    if end:
        with pytest.raises(ProgramTimedOut):
            await invoke(program, seconds=limit)
    else:
        assert await invoke(program) == 1
    assert time.monotonic() - started < limit + 2
    assert marked(marker) == []
    assert leftovers() == []


async def test_a_fork_bomb_is_bounded_and_ends(tmp_path: Path):
    program = ask(tmp_path, f"good = 1\n{FORK_BOMB}\nsys.stdout.flush()\n{SLEEP}")
    if ROOT and describe_containment()[5].active is False:
        pytest.skip("as root, without a user of its own, nothing bounds forks")
    before = len(psutil.pids())
    started = time.monotonic()
    with pytest.raises(ProgramTimedOut):
        await invoke(program, seconds=1.5)
    assert time.monotonic() - started < 1.5 + 2
    assert len(psutil.pids()) < before + 50
    assert leftovers() == []


async def test_cancelling_the_call_ends_the_program_before_the_cancellation_is_heard(tmp_path: Path, bell: Bell):
    marker = f"marker-{tmp_path.name}-{os.getpid()}"
    source = f"{bell.line}os.execv(sys.executable, [sys.executable, '-c', 'import time; time.sleep(60)', {marker!r}])"
    task = asyncio.create_task(invoke(ask(tmp_path, source)))
    await bell.rung()
    started = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - started < 2
    assert marked(marker) == []
    assert leftovers() == []


async def test_a_program_that_locks_its_folder_does_not_keep_it(tmp_path: Path):
    source = "os.makedirs('a/b'); open('a/b/c', 'w').close(); os.chmod('a/b', 0); os.chmod('a', 0); answer(1)"
    assert await invoke(ask(tmp_path, source)) == 1
    assert leftovers() == []


async def test_what_one_call_writes_the_next_never_sees_and_the_package_keeps(tmp_path: Path):
    source = """
before = sorted(os.listdir()), open('data.txt').read()
open('data.txt', 'a').write(' changed')
open('left.txt', 'w').write('left')
os.remove('sibling.py')
answer(before)
"""
    program = ask(tmp_path, source, sibling="", **{"data.txt": b"as installed"})
    first, second = await invoke(program), await invoke(program)
    assert first == second == [["data.txt", "main.py", "sibling.py"], "as installed"]
    assert (tmp_path / "provider" / "data.txt").read_bytes() == b"as installed"


async def test_a_provider_keeps_its_folders_and_its_executables(tmp_path: Path):
    program = ask(
        tmp_path, "import subprocess; answer(subprocess.run(['bin/tool'], capture_output=True).stdout.decode())"
    )
    tool = tmp_path / "provider" / "bin" / "tool"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\necho it runs")
    tool.chmod(0o755)
    assert await invoke(program) == "it runs\n"


async def test_a_link_in_the_provider_is_not_followed(tmp_path: Path):
    program = ask(tmp_path, "answer(1)")
    (tmp_path / "provider" / "link").symlink_to("/etc/passwd")
    with pytest.raises(ProgramUnavailable):
        await invoke(program)


async def test_a_program_sees_proxy_locale_path_and_tls_variables_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    kept = {"HTTPS_PROXY": "http://127.0.0.1:9", "no_proxy": "localhost", "LC_ALL": "C.UTF-8", "SSL_CERT_FILE": "/x"}
    for name, value in {**kept, "SECRET_KEY": "s", "POCO_VAULT_KEYS": "s", "HOME": "/h", "PYTHONPATH": "/p"}.items():
        monkeypatch.setenv(name, value)
    seen = await invoke(ask(tmp_path, "answer(dict(os.environ))"))
    assert kept.items() <= seen.items()
    assert not {"SECRET_KEY", "POCO_VAULT_KEYS", "HOME", "PYTHONPATH"} & seen.keys()


async def test_a_program_runs_in_its_copy_with_the_promised_flags_and_version(tmp_path: Path):
    source = """
flags = sys.flags
answer([os.getcwd() == os.path.dirname(os.path.abspath(__file__)), __name__, list(sys.version_info[:2]), sys.argv,
        [flags.dont_write_bytecode, flags.ignore_environment, flags.no_user_site, flags.isolated]])
"""
    assert await invoke(ask(tmp_path, source)) == [True, "__main__", [3, 12], ["main.py"], [1, 1, 1, 0]]


async def test_a_program_can_import_httpx_and_its_siblings_and_none_of_our_packages(tmp_path: Path):
    source = """
import importlib.util, httpx, sibling
client = httpx.Client(); client.close()
async_client = httpx.AsyncClient()
answer([sibling.VALUE, [name for name in ("django", "connectors", "pydantic", "mcp") if importlib.util.find_spec(name)]])
"""
    assert await invoke(ask(tmp_path, source, sibling="VALUE = 7")) == [7, []]


async def test_a_program_cannot_gain_privileges_and_has_limits(tmp_path: Path):
    source = """
import resource
status = open('/proc/self/status').read()
answer([status.split('NoNewPrivs:')[1].split()[0], [resource.getrlimit(what)[1] for what in
       (resource.RLIMIT_CORE, resource.RLIMIT_NOFILE, resource.RLIMIT_CPU)], sorted(os.listdir('/proc/self/fd'))[:4]])
"""
    privileges, limits, handles = await invoke(ask(tmp_path, source))
    assert privileges == "1"
    assert limits == [0, 1024, 16]
    assert handles == ["0", "1", "2", "3"]  # 3 is the listing itself


@pytest.mark.skipif(not ROOT, reason="only root can give a program a user of its own")
async def test_started_as_root_a_program_runs_as_a_user_without_rights(tmp_path: Path):
    layer = {layer.name: layer for layer in describe_containment()}["unprivileged_user"]
    if not layer.active:
        pytest.skip(f"this machine does not allow it: {layer.reason}")
    secret = tmp_path / "secret"
    secret.write_text("key")
    secret.chmod(0o600)
    source = f"""
def tried(act):
    try: act(); return True
    except OSError: return False
answer([os.getuid(), os.geteuid(), os.getgid(), os.getgroups(),
        tried(lambda: open({str(secret)!r})), tried(lambda: open('/etc/poco-was-here', 'w')), tried(lambda: os.setuid(0))])
"""
    user, effective, group, groups, *allowed = await invoke(ask(tmp_path, source))
    assert user == effective == group >= 61_500
    assert groups == []
    assert allowed == [False, False, False]


@pytest.mark.skipif(not ROOT, reason="only root can give a program a user of its own")
async def test_two_programs_at_once_are_two_users(tmp_path: Path):
    programs = [ask(tmp_path / str(number), "time.sleep(0.3); answer(os.getuid())") for number in range(2)]
    users = await asyncio.gather(*(invoke(program) for program in programs))
    if not describe_containment()[5].active:
        pytest.skip("no user of its own here")
    assert len(set(users)) == 2


async def test_a_minder_that_is_killed_takes_its_program_and_folder_with_it(tmp_path: Path, bell: Bell):
    marker = f"marker-{tmp_path.name}-{os.getpid()}"
    source = f"{bell.line}os.execv(sys.executable, [sys.executable, '-c', 'import time; time.sleep(60)', {marker!r}])"
    task = asyncio.create_task(invoke(ask(tmp_path, source), seconds=20))
    await bell.rung()
    (program,) = await wait_for(lambda: marked(marker))
    os.kill(psutil.Process(program).ppid(), signal.SIGKILL)
    with pytest.raises(Exception):  # noqa: B017 - whichever way the loss shows, the call has to end
        await task
    await wait_for(lambda: not marked(marker) and not leftovers())


async def wait_for(condition: Any) -> Any:
    until = time.monotonic() + 5
    while not (found := condition()):
        assert time.monotonic() < until
        await asyncio.sleep(0.01)
    return found


async def test_a_keeper_that_is_killed_is_replaced(tmp_path: Path):
    keeper = get_keeper()
    keeper._process.kill()
    keeper._process.wait()
    assert await invoke(ask(tmp_path, "answer(2)")) == 2
    assert get_keeper() is not keeper
    assert not keeper.base.exists()


PARENT = """
import asyncio, sys
from pathlib import Path
from connectors.runtime.deadline import Deadline
from connectors.runtime.operations import AUTHORIZATION_IDENTITY
from connectors.runtime.program import ProgramSource, invoke_program
from connectors.runtime.protocol import PackageName
from connectors.runtime.program_context import AuthorizationIdentity, Configuration
program = ProgramSource(Path(sys.argv[1]), "provider/main.py", PackageName("records", "1.0.0"))
context = AuthorizationIdentity(configuration=Configuration(), options={})
asyncio.run(invoke_program(program, AUTHORIZATION_IDENTITY, context, deadline=Deadline.after(60)))
"""


@pytest.fixture
def parent(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process of ours that runs the program in `tmp_path`."""
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    process = subprocess.Popen([sys.executable, "-c", PARENT, str(tmp_path)], env=environment)
    yield process
    process.kill()
    process.wait()


async def test_killing_the_web_process_ends_its_programs_and_removes_their_folders(
    tmp_path: Path, bell: Bell, parent: subprocess.Popen[bytes]
):
    marker = f"marker-{tmp_path.name}-{os.getpid()}"
    source = f"{bell.line}os.execv(sys.executable, [sys.executable, '-c', 'import time; time.sleep(60)', {marker!r}])"
    ask(tmp_path, source)
    await bell.rung()
    parent.kill()
    await wait_for(lambda: not marked(marker))
    await wait_for(lambda: not list(Path(tempfile.gettempdir()).glob(f"poco-programs-*/keeper-{parent.pid}-*")))


async def test_bubblewrap_when_chosen_leaves_nothing_writable_but_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(containment, "_bubblewrap_chosen", True)
    layer = describe_containment()[-1]
    if not layer.active:
        pytest.skip(f"bubblewrap: {layer.reason}")
    source = """
def tried(path):
    try: open(path, 'w').close(); return True
    except OSError: return False
answer([tried('here'), tried('/tmp/private'), tried('/var/tmp/no'), len([p for p in os.listdir('/proc') if p.isdigit()])])
"""
    here, private, elsewhere, processes = await invoke(ask(tmp_path, source))
    assert (here, private, elsewhere) == (True, True, False)
    assert processes <= 3
    assert "private" not in os.listdir("/tmp")  # noqa: PTH208 - names are enough


def test_every_layer_says_whether_it_is_active():
    layers = {layer.name: layer for layer in describe_containment()}
    assert all(layer.active or layer.reason for layer in layers.values())
    assert layers["process_tree"].active
