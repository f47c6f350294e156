"""Opening what an author names: a ZIP or a folder. Needs neither a database nor Django's settings."""

import os
from pathlib import Path

from connectors.errors import Fault
from connectors.manifest.fault_messages import FaultText, describe_fault
from connectors.packages import fault_messages  # noqa: F401 - registers what archive faults say
from connectors.packages.inspection import InspectedPackage, inspect_folder, inspect_package

VALID, REFUSED, UNREADABLE = 0, 1, 2


def open_any(path: Path) -> InspectedPackage:
    """Raises `Invalid` with all faults, or OSError where there is nothing to read."""
    return inspect_folder(path) if path.is_dir() else inspect_package(path)


def author_language(chosen: str | None) -> str:
    """What was asked for, else what the shell speaks."""
    return chosen or os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or "en"


def in_language(said: tuple[str, str], language: str) -> str:
    """One of (English, Chinese): Chinese for any `zh` language."""
    english, chinese = said
    return chinese if language.lower().startswith("zh") else english


def in_words(faults: tuple[Fault, ...], language: str) -> list[FaultText]:
    return [describe_fault(fault, language) for fault in faults]


def as_lines(texts: list[FaultText]) -> str:
    return "\n".join(f"  {text.where or '/'}: {text.message}\n      {text.hint} [{text.code}]" for text in texts)
