"""Whoever acts on the set-up leaves an event: every public function that takes an actor leads to one."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOMS = ("access", "audit", "authorization", "catalogue", "ledger", "lifecycle", "policy", "vault")
RECORD = "record_admin_event"
# They build what an act will write, and write nothing.
DESCRIBING = ("describe_", "preview_")
# Steps of acts that leave the event themselves; the actor is written beside what is stored.
STEPS = {"seal_values", "store_carried"}


@dataclass
class Module:
    """A module's functions, and what its names mean where they come from our other modules."""

    name: str
    tree: ast.Module
    functions: dict[str, ast.AST] = field(default_factory=dict)
    imported: dict[str, tuple[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self.functions[node.name] = node
            elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("connectors"):
                for alias in node.names:
                    self.imported[alias.asname or alias.name] = (node.module, alias.name)

    def used_by(self, function: str) -> Iterator[tuple[str, str]]:
        """Our own functions a function names: of this module, imported ones, those of an imported module."""
        for node in ast.walk(self.functions[function]):
            if isinstance(node, ast.Name):
                yield (self.name, node.id) if node.id in self.functions else self.imported.get(node.id, ("", ""))
            elif isinstance(node, ast.Attribute):
                if isinstance(node.value, ast.Name) and node.value.id in self.imported:
                    yield ".".join(self.imported[node.value.id]), node.attr
                else:
                    yield self.name, node.attr  # a method, most likely of this module

    def acts(self) -> list[str]:
        return [name for name, node in self.functions.items() if takes_actor(node) and is_act(name)]


def takes_actor(node) -> bool:
    return "actor" in {argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)}


def is_act(name: str) -> bool:
    return not name.startswith(("_", *DESCRIBING)) and name not in STEPS | {RECORD}


def read_modules() -> dict[str, Module]:
    paths = [path for room in ROOMS for path in sorted(Path("connectors", room).rglob("*.py"))]
    names = {path: ".".join(path.with_suffix("").parts) for path in paths}
    return {names[path]: Module(names[path], ast.parse(path.read_text())) for path in paths}


def is_recorded(modules: dict[str, Module], module: str, function: str) -> bool:
    seen: set[tuple[str, str]] = set()
    left = [(module, function)]
    while left:
        where, name = left.pop()
        if name == RECORD:
            return True
        if (where, name) in seen or where not in modules or name not in modules[where].functions:
            continue
        seen.add((where, name))
        left += modules[where].used_by(name)
    return False


def unrecorded(modules: dict[str, Module]) -> list[str]:
    acts = [(name, act) for name, module in modules.items() for act in module.acts()]
    return [f"{name}.{act}" for name, act in acts if not is_recorded(modules, name, act)]


def test_every_act_leads_to_an_event():
    modules = read_modules()
    assert sum(len(module.acts()) for module in modules.values()) > 30
    assert unrecorded(modules) == []


def test_one_that_does_not_is_found():
    source = """
from connectors.audit.recording import record_admin_event
def good(*, actor): helper()
def helper(): record_admin_event()
def bad(*, actor): other.save(); update()
def preview_bad(*, actor): pass
"""
    assert unrecorded({"one": Module("one", ast.parse(source))}) == ["one.bad"]
