"""The interpreter programs get: this Python, its standard library, httpx, and nothing else (handbook §8).

It is a small environment of its own beside ours: symbolic link, `pyvenv.cfg`, and a compiled copy of httpx with what
httpx needs. So a program cannot come to rely on, or meddle with, what the console happens to have installed, and a
start costs what httpx costs, not what every package here adds to it.
"""

import hashlib
import importlib.metadata
import os
import py_compile
import shutil
import sys
import tempfile
from pathlib import Path, PurePosixPath

PROMISED = ("httpx", "httpcore", "h11", "anyio", "certifi", "idna", "typing_extensions")
_OPTIONAL = frozenset({"typing_extensions"})  # newer anyio does without


def program_python(work_dir: Path) -> Path:
    """Return the interpreter, made once per work folder and set of versions; safe to call from many processes."""
    home = work_dir / f"python-{_digest()}"
    interpreter = home / "bin" / "python"
    if not interpreter.exists():
        draft = Path(tempfile.mkdtemp(prefix="python-draft-", dir=work_dir))
        try:
            _build(draft)
            draft.chmod(0o755)
            draft.rename(home)
        except OSError:
            shutil.rmtree(draft, ignore_errors=True)
            if not interpreter.exists():  # otherwise another process was faster
                raise
    return interpreter


def base_prefix() -> Path:
    """Return the installation the interpreter and the standard library come from."""
    return Path(sys.base_prefix).resolve()


def _base_executable() -> Path:
    return Path(getattr(sys, "_base_executable", None) or sys.executable).resolve()


def _digest() -> str:
    parts = [str(_base_executable()), sys.version, *(f"{each.name} {each.version}" for each in _distributions())]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _distributions() -> list[importlib.metadata.Distribution]:
    found = []
    for name in PROMISED:
        try:
            found.append(importlib.metadata.distribution(name))
        except importlib.metadata.PackageNotFoundError:
            if name not in _OPTIONAL:
                raise
    return found


def _build(home: Path) -> None:
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    (home / "bin").mkdir()
    (home / "bin" / "python").symlink_to(_base_executable())
    (home / "pyvenv.cfg").write_text(
        f"home = {_base_executable().parent}\ninclude-system-site-packages = false\nversion = {version}\n"
    )
    libraries = home / "lib" / f"python{version}" / "site-packages"
    libraries.mkdir(parents=True)
    for distribution in _distributions():
        for file in distribution.files or ():
            if _belongs(file):
                _install(Path(str(distribution.locate_file(file))), libraries / file)


def _belongs(file: PurePosixPath) -> bool:
    """Scripts live outside the package folders, and bytecode is made anew."""
    return ".." not in file.parts and not file.is_absolute() and file.suffix != ".pyc"


def _install(origin: Path, goal: Path) -> None:
    goal.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(origin, goal)
    if goal.suffix == ".py":
        # Unchecked: nothing here is edited, and no start has to compare times.
        py_compile.compile(str(goal), doraise=True, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)


def work_folder(parent: Path) -> Path:
    """Return a folder of ours below `parent` that nobody else can write to; a fresh one if that name is not ours."""
    folder = parent / f"poco-programs-{os.geteuid()}"
    folder.mkdir(mode=0o755, exist_ok=True)
    about = folder.lstat()
    if folder.is_symlink() or about.st_uid != os.geteuid() or about.st_mode & 0o022:
        folder = Path(tempfile.mkdtemp(prefix="poco-programs-", dir=parent))
        folder.chmod(0o755)
    return folder
