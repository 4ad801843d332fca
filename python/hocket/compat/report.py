"""`--report`: the names of Triton that a file uses, and which of them Hocket has. The file is parsed, not run.

The report also covers imported files in the folder of the file, including files that `importlib.import_module` imports.
"""

from __future__ import annotations

import ast
import pathlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ..errors import shown_path
from ..language import shared_memory_descriptor, tensor
from ..language._foreign_names import advice
from ..runtime.options import OPTION_LIST
from . import probes
from .finder import HOMES, find
from .functions import HINTS
from .meaning import is_meant

#: Methods of Triton's tensors and shared memory. The report recognizes their calls in a kernel by name only.
_METHODS = frozenset(
    """
    associative_scan argmax argmin broadcast_to cumprod cumsum expand_dims flip gather histogram max min permute ravel
    reduce reduce_or reshape sort split sum to trans view xor_sum index load store slice reinterpret _reinterpret
    _keep_alive scatter atomic_scatter_add atomic_scatter_and atomic_scatter_max atomic_scatter_min atomic_scatter_or
    atomic_scatter_xchg atomic_scatter_xor
    """.split()
)
#: Triton's launch options that Hocket does not accept.
_OTHER_OPTIONS = frozenset({"ir_override", "num_consumer_groups", "num_buffers_warp_spec", "extern_libs"})


@dataclass
class Use:
    """A name or a feature that a file uses: the lines of its uses, and whether Hocket has the name or feature."""

    name: str
    is_there: bool
    hint: str = ""
    lines: set[int] = field(default_factory=set)


class FileReport:
    """The names and features that one file uses.

    `uses` holds all uses by name, and `missing` the uses of names that Hocket does not have. `siblings` are the
    imported files in the folder of the file.
    """

    def __init__(self, path: pathlib.Path):
        self.path = path
        self.uses: dict[str, Use] = {}
        self.siblings: list[pathlib.Path] = []
        self._known: dict[str, str] = {}  # maps each name in the file to the dotted name of the object in Triton
        tree = ast.parse(path.read_text(), filename=str(path))
        for node in ast.walk(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                self._import(node)
            elif isinstance(node, ast.Call) and (module := _imported_by_name(node)):
                self._import_by_name(module, node.lineno)
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                if module := _imported_by_name(node.value):
                    self._known_as(node.targets[0].id, module)
        self._walk(tree)
        for function in _kernels(tree):
            self._kernel(function)

    @property
    def missing(self) -> list[Use]:
        return [use for use in self.uses.values() if not use.is_there]

    def _add(self, name: str, is_there: bool, line: int, hint: str = "") -> None:
        self.uses.setdefault(name, Use(name, is_there, hint)).lines.add(line)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if _is_tritons(alias.name):
                    self._check_module(alias.name, node.lineno)
                    self._known[alias.asname or "triton"] = alias.name if alias.asname else "triton"
                self._add_sibling(alias.name)
        elif not node.level and not _is_tritons(node.module or ""):
            self._add_sibling(node.module or "")
        elif not node.level and _is_tritons(node.module or ""):
            module = node.module or ""
            if self._check_module(module, node.lineno):
                for alias in node.names:
                    self._known[alias.asname or alias.name] = f"{module}.{alias.name}"
                    self._look_up(f"{module}.{alias.name}", node.lineno)

    def _import_by_name(self, module: str, line: int) -> None:
        """Records that a call `importlib.import_module(module)` imports `module`."""
        if _is_tritons(module):
            self._check_module(module, line)
        self._add_sibling(module)

    def _known_as(self, name: str, module: str) -> None:
        """Records the assignment `name = importlib.import_module(module)`."""
        if _is_tritons(module):
            self._known[name] = module

    def _add_sibling(self, module: str) -> None:
        """Adds the file of an imported module to `siblings`, if the file is in the folder of the importing file."""
        parts = module.split(".")
        path = self.path.parent.joinpath(*parts[:-1], f"{parts[-1]}.py")
        if module and path.is_file() and path not in self.siblings:
            self.siblings.append(path)

    def _check_module(self, module: str, line: int) -> bool:
        if module not in HOMES:
            self._add(f"module {module}", False, line)
        return module in HOMES

    def _walk(self, node: ast.AST) -> None:
        """Records the uses of names in `node`. A chain of attributes, such as `gl.nvidia.hopper.tma`, is one name."""
        if isinstance(node, ast.Attribute | ast.Name) and (chain := self._chain(node)):
            self._look_up(chain, node.lineno)
            return
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Subscript):
            self._options(node)
        for child in ast.iter_child_nodes(node):
            self._walk(child)

    def _chain(self, node: ast.AST) -> str:
        """Returns the dotted name in Triton, such as `triton.x.y`, that an expression denotes, or ""."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self._known:
            return ""
        return ".".join([self._known[node.id], *reversed(parts)])

    def _look_up(self, dotted: str, line: int) -> None:
        """Splits `dotted` into the longest possible module name and a name in this module, and records the use of this
        name."""
        module, rest = "", dotted.split(".")
        while rest and ".".join([*module.split("."), rest[0]] if module else [rest[0]]) in HOMES:
            module = f"{module}.{rest.pop(0)}" if module else rest.pop(0)
        if not module or not rest:
            return
        name = rest[0]
        probe = probes.NAMES.get(name)
        try:
            is_there = probes.works(probe) if probe else is_meant(find(module, name))
        except AttributeError:
            is_there = False
        hint = "" if is_there else advice("language", name) or advice("package", name)
        self._add(f"{module}.{name}", is_there, line, hint)

    def _options(self, call: ast.Call) -> None:
        for keyword in call.keywords:
            if keyword.arg in HINTS:
                self._add(f"launch option {keyword.arg}", True, call.lineno, "it has no effect")
            elif keyword.arg in _OTHER_OPTIONS:
                self._add(f"launch option {keyword.arg}", False, call.lineno)
            elif keyword.arg in dict(OPTION_LIST):
                self._add(f"launch option {keyword.arg}", True, call.lineno)

    def _kernel(self, function: ast.FunctionDef) -> None:
        for kind, line in _features(function):
            what, probe = probes.SYNTAX[kind]
            self._add(what, probes.works(probe), line)
        for node in ast.walk(function):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            name = node.func.attr
            if name in _METHODS and not self._chain(node.func):
                found = [getattr(owner, name, None) for owner in (tensor, shared_memory_descriptor)]
                is_there = any(one is not None and is_meant(one) for one in found)
                self._add(f"method .{name}()", is_there, node.lineno)

    def __str__(self) -> str:
        path = shown_path(str(self.path))
        missing = self.missing
        lines = [f"{path}: {len(self.uses)} names and features, of which Hocket lacks {len(missing) or 'none'}"]
        for title, uses in (("missing", missing), ("there", [use for use in self.uses.values() if use.is_there])):
            for use in sorted(uses, key=lambda use: min(use.lines)):
                where = ", ".join(map(str, sorted(use.lines)))
                hint = f"  ({use.hint})" if use.hint else ""
                lines.append(f"  {title:7}  {use.name}  line {where}{hint}")
        return "\n".join(lines)


def _imported_by_name(node: ast.AST) -> str:
    """Returns the module of a call `importlib.import_module("module")`, else ""."""
    is_call = isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "import_module"
    name = node.args[0] if is_call and node.args else None  # type: ignore[attr-defined]
    return name.value if isinstance(name, ast.Constant) and isinstance(name.value, str) else ""


def _is_tritons(module: str) -> bool:
    return module.partition(".")[0] == "triton"


def _kernels(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    """Yields the functions with a decorator named jit."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            names = [one.func if isinstance(one, ast.Call) else one for one in node.decorator_list]
            if any(ast.unparse(one).rpartition(".")[2] == "jit" for one in names):
                yield node


def _features(function: ast.FunctionDef) -> Iterator[tuple[str, int]]:
    """Yields the key in probes.SYNTAX and the line of each feature that a kernel uses."""

    def visit(node: ast.AST, in_loop: bool) -> Iterator[tuple[str, int]]:
        is_loop = isinstance(node, ast.For | ast.While)
        kind = type(node).__name__
        if isinstance(node, ast.Return) and in_loop:
            yield "ReturnInLoop", node.lineno
        elif isinstance(node, ast.Compare) and len(node.ops) > 1:
            yield "ChainedComparison", node.lineno
        elif isinstance(node, ast.For | ast.While) and node.orelse:
            yield "LoopElse", node.orelse[0].lineno
        elif isinstance(node, ast.expr | ast.stmt) and kind in probes.SYNTAX:
            yield kind, node.lineno
        for child in ast.iter_child_nodes(node):
            yield from visit(child, in_loop or is_loop)

    for statement in function.body:
        yield from visit(statement, False)


def print_reports(paths: Sequence[pathlib.Path]) -> int:
    """Prints a report of each file and of all imported files in the file's folder.

    Returns 0 if no name is missing, 1 if a name is missing, 2 if a file cannot be read.
    """
    status = 0
    waiting, seen = list(paths), set()
    while waiting:
        path = waiting.pop(0)
        if path.resolve() in seen:
            continue
        seen.add(path.resolve())
        try:
            report = FileReport(path)
        except (OSError, SyntaxError, UnicodeDecodeError) as error:
            print(f"{shown_path(str(path))}: {error}")
            status = 2
            continue
        print(report)
        waiting += report.siblings
        status = max(status, 1 if report.missing else 0)
    return status
