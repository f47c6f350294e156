"""Every fault the product can find has words in the web process as it starts, not only where a test imports them."""

import ast
import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import connectors

ROOT = Path(connectors.__file__).parent
# Faults of the author's commands and the codes of `check --run` are registered by those commands.
ELSEWHERE = ("management", "examples")
CATALOGUE = """
import json, django
django.setup()
import poco.urls
from connectors.manifest.fault_messages import fault_catalogue
print(json.dumps(sorted(fault_catalogue())))
"""


@cache
def registered() -> set[str]:
    """What a fresh process knows that has loaded the pages and nothing else."""
    done = subprocess.run(
        [sys.executable, "-c", CATALOGUE],
        capture_output=True, text=True, check=True, timeout=60, env={"DJANGO_SETTINGS_MODULE": "poco.settings"} | _env(),
    )  # fmt: skip
    return set(json.loads(done.stdout.splitlines()[-1]))


def _env() -> dict[str, str]:
    return {name: os.environ[name] for name in ("POCO_VAR_DIR", "PATH") if name in os.environ}


def find_codes() -> list[tuple[str, str]]:
    """(file, code) of every `Fault("code", …)` in the source."""
    found = []
    for path in sorted(ROOT.rglob("*.py")):
        if path.relative_to(ROOT).parts[0] in ELSEWHERE:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Fault" and node.args:
                code = node.args[0]
                if isinstance(code, ast.Constant):
                    found.append((path.relative_to(ROOT).as_posix(), str(code.value)))
    return found


def test_every_fault_has_words_where_pages_show_it():
    missing = {(file, code) for file, code in find_codes() if code not in registered()}
    assert missing == set()


@pytest.mark.parametrize(
    "module",
    ["packages.fault_words_contents", "packages.fault_words_zip", "catalogue.fault_words", "console.fault_words"],
)
def test_every_room_s_words_are_registered_where_pages_show_them(module):
    source = ast.parse((ROOT / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8"))
    codes = {
        key.value
        for node in ast.walk(source)
        if isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and isinstance(value, ast.Call)
    }
    assert codes
    assert codes <= registered()
