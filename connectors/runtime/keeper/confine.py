"""What bounds a program: resource limits, a user of its own, no new privileges, death with its minder.

Runs in the keeper and in what it forks: single-threaded processes of ours, where acting between fork and exec is
safe. Standard library only.
"""

import ctypes
import os
import resource
import signal
from collections.abc import Iterable
from pathlib import Path

MIB = 1024 * 1024
TASKS_PER_CALL = 128
LIMITS = {
    resource.RLIMIT_CORE: 0,
    resource.RLIMIT_NOFILE: 1024,
    resource.RLIMIT_FSIZE: 1024 * MIB,
    resource.RLIMIT_DATA: 4096 * MIB,  # not RLIMIT_AS: runtimes of vendors' binaries reserve far more than they use
}

_SET_PDEATHSIG, _SET_NO_NEW_PRIVS, _SET_CHILD_SUBREAPER = 1, 38, 36
_MS_NOSUID, _MS_NODEV, _MS_BIND, _MS_REC, _MS_PRIVATE = 2, 4, 4096, 16384, 1 << 18
_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def _prctl(option: int, value: int) -> None:
    numbers = [ctypes.c_ulong(number) for number in (value, 0, 0, 0)]
    _check(_libc.prctl(option, *numbers), "prctl")


def become_subreaper() -> None:
    """Orphans of our descendants become our children, whatever session they moved to."""
    _prctl(_SET_CHILD_SUBREAPER, 1)


def die_with(parent: int) -> None:
    """Be killed when the parent ends. Set after the user changes, which clears it; the parent has one thread."""
    _prctl(_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def signal_at_parents_end(number: int) -> None:
    """Be sent a signal when the parent ends: kept over exec, not over fork."""
    _prctl(_SET_PDEATHSIG, number)


def forbid_new_privileges() -> None:
    _prctl(_SET_NO_NEW_PRIVS, 1)


def restore_signals() -> None:
    """Undo what our Python ignores, so that the program starts as any other would."""
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)


def limit_resources(*, cpu_seconds: int, tasks: int) -> None:
    """Set every limit, soft and hard, never above what we have ourselves."""
    wanted = {**LIMITS, resource.RLIMIT_CPU: cpu_seconds, resource.RLIMIT_NPROC: tasks}
    for what, value in wanted.items():
        ceiling = resource.getrlimit(what)[1]
        bound = value if ceiling == resource.RLIM_INFINITY else min(value, ceiling)
        resource.setrlimit(what, (bound, bound))


def become_user(user: int) -> None:
    """Give up root for good: groups, group, user."""
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def tasks_of_user(user: int) -> int:
    """Count the threads a user has now: RLIMIT_NPROC counts all of them, not just one program's."""
    count = 0
    with os.scandir("/proc") as entries:
        for entry in entries:
            if entry.name.isdigit():
                try:
                    if entry.stat().st_uid == user:
                        count += len(os.listdir(f"{entry.path}/task"))  # noqa: PTH208 - names are enough
                except OSError:
                    continue  # it has ended meanwhile
    return count


def can_run_as(user: int | None, command: list[str]) -> bool:
    """Whether that user (none: we) can start the command, as a call would: the interpreter may be out of its reach."""
    child = os.fork()
    if child == 0:
        try:
            silent = os.open(os.devnull, os.O_RDWR)
            for standard in range(3):
                os.dup2(silent, standard)
            if user is not None:
                become_user(user)
            forbid_new_privileges()
            os.execve(command[0], command, {"PATH": os.defpath})  # noqa: S606 - no shell is the point
        finally:
            os._exit(127)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def uncover(paths: Iterable[Path]) -> None:
    """In a mount namespace of our own, make paths reachable that lie below folders only root may enter.

    Such a folder (a root's home with the interpreter in it) is covered with an empty file system that holds just the
    path. OSError when namespaces are not allowed here.
    """
    os.unshare(os.CLONE_NEWNS)
    _mount(None, Path("/"), None, _MS_REC | _MS_PRIVATE)
    handles = [(path, os.open(path, os.O_PATH | os.O_DIRECTORY)) for path in paths]
    for path, handle in handles:
        closed = next((above for above in reversed(path.parents) if not above.stat().st_mode & 0o001), None)
        if closed is not None:
            _mount("tmpfs", closed, "tmpfs", _MS_NOSUID | _MS_NODEV, "mode=755,size=1m")
            path.mkdir(parents=True, mode=0o755)
            _mount(f"/proc/self/fd/{handle}", path, None, _MS_BIND | _MS_REC)
        elif not path.exists():  # below a folder that was covered for another path
            path.mkdir(parents=True, mode=0o755)
            _mount(f"/proc/self/fd/{handle}", path, None, _MS_BIND | _MS_REC)
        os.close(handle)


def _mount(source: str | None, target: Path, kind: str | None, flags: int, options: str = "") -> None:
    texts = [text.encode() if text else None for text in (source, str(target), kind)]
    _check(_libc.mount(*texts, ctypes.c_ulong(flags), options.encode() or None), f"mount {target}")


def bubblewrap(binary: str, folder: Path, readable: Iterable[Path]) -> list[str]:
    """Return the command that puts what follows into bubblewrap: nothing writable but its folder and its own /tmp."""
    bind = [part for path in readable for part in ("--ro-bind", str(path), str(path))]
    return [
        binary,
        *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"),  # noqa: S108 - its own
        *bind,
        *("--bind", str(folder), str(folder), "--chdir", str(folder)),
        *("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--die-with-parent", "--cap-drop", "ALL", "--"),
    ]
