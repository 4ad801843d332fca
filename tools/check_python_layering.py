"""Checks that no module of python/hocket imports a module to its right in this order (for tools/check_layering.py):

    errors <- deploy <- language <- isa <- reports <- {hooks, profiler.facts} <- runtime <- pictures <- emulator
      <- {devices, nvidia} <- launch_cache <- profiler <- kernels <- {testing, torch} <- tuning
      <- {checking, compat} <- cli

Every module may import names that hocket/__init__.py defines. The rule also applies to imports inside functions and
under TYPE_CHECKING. Modules must not import each other in a circle. A module that needs an object of a module to its
right gets the object as a function argument or from a context variable; a Protocol declares the attributes that the
module uses.
"""

from __future__ import annotations

import ast
import pathlib
from collections.abc import Iterator

# Folders and modules of python/hocket, left to right. Folders and modules in one line must not import each other. A
# module that is imported by modules to the left of its folder has its own entry.
LAYERS = (
    ("_core", "_display", "errors"),
    ("deploy",),
    ("language",),
    ("isa",),
    ("reports",),
    ("hooks", "profiler.facts"),
    ("runtime",),
    ("pictures",),
    ("emulator",),
    ("devices", "nvidia"),
    ("launch_cache",),
    ("profiler",),
    ("kernels",),
    ("testing", "torch"),
    ("tuning",),
    ("checking", "compat"),
    ("cli",),
    ("__main__",),
)
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}


def layer_of(module: str) -> str:
    """Returns `module` if LAYERS has an entry for it, else the folder of the module."""
    return module if module in RANK else module.split(".")[0]


# Packages that may import only these modules of the folder that contains them.
LEAVES = {"language._layouts": {"language._constexpr", "language._dtype"}}


def imports_of(path: pathlib.Path, module: str) -> Iterator[tuple[int, str]]:
    """Yields the line and the name, relative to hocket, of each module or object of hocket that a file imports."""
    package = module.split(".") if path.stem == "__init__" else module.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "hocket":
                    yield node.lineno, alias.name.removeprefix("hocket").removeprefix(".")
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                parts = package[: len(package) - node.level + 1] + (node.module or "").split(".")
            elif node.module and node.module.split(".")[0] == "hocket":
                parts = node.module.split(".")[1:]
            else:
                continue
            base = ".".join(part for part in parts if part)
            for alias in node.names:
                yield node.lineno, f"{base}.{alias.name}".lstrip(".")


def read_modules(package: pathlib.Path) -> dict[str, list[tuple[int, str]]]:
    """Returns the imports of each module of hocket: the line and the imported module. Names are relative to hocket."""
    paths = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        paths[".".join(part for part in parts if part != "__init__")] = path
    modules = {}
    for module, path in paths.items():
        modules[module] = []
        for line, name in imports_of(path, module):
            if name not in paths and name.split(".")[0] != "_core":
                name = name.rpartition(".")[0]  # `name` is an object in a module
            if name != module:
                modules[module].append((line, name))
    return modules


def find_circle(modules: dict[str, list[tuple[int, str]]]) -> list[str]:
    """Returns a circle: modules that each import the next; the first module is also the last. Returns [] without a
    circle."""
    finished: set[str] = set()

    def visit(module: str, path: list[str]) -> list[str]:
        if module in path:
            return [*path[path.index(module) :], module]
        if module in finished:
            return []
        for _, imported in modules.get(module, []):
            if circle := visit(imported, [*path, module]):
                return circle
        finished.add(module)
        return []

    return next((circle for module in modules if (circle := visit(module, []))), [])


def check_package(root: pathlib.Path) -> list[str]:
    """Returns a message for each import in `root`/python/hocket that breaks a rule."""
    problems = []
    modules = read_modules(root / "python" / "hocket")
    modules.pop("", None)  # hocket/__init__.py loads all other modules on demand
    for module, imports in modules.items():
        folder = layer_of(module)
        if folder not in RANK:
            problems.append(f"hocket.{module}: {folder} has no place in the layering; add it to {__name__}.py")
            continue
        for line, imported in imports:
            target = layer_of(imported)
            if target and target != folder and RANK.get(target, len(LAYERS)) >= RANK[folder]:
                problems.append(f"hocket.{module}:{line}: {folder} must not import {target}, which is to its right")
    for leaf, allowed in LEAVES.items():
        for module, imports in modules.items():
            if not f"{module}.".startswith(f"{leaf}."):
                continue
            for line, imported in imports:
                if imported.split(".")[0] == leaf.split(".")[0] and not f"{imported}.".startswith(f"{leaf}."):
                    if imported not in allowed:
                        problems.append(f"hocket.{module}:{line}: {leaf} is a leaf: it must not import {imported}")
    if not problems and (circle := find_circle(modules)):
        problems.append(f"hocket: modules import each other in a circle: {' -> '.join(circle)}")
    return problems
