"""Finds the objects that a constexpr function reads outside its own body when a kernel is compiled.

    @gl.constexpr_function
    def rows():
        return int(os.environ["ROWS"]) + offset()

For `rows`, the result contains a Read of "os.environ" with the mapping, the file and the line. The result also contains
all Reads of `offset`.

The front end rejects objects that may differ from one call to the next (csrc/frontend/semantics/OutsideWorld.cpp).
This module finds the reads in the bytecode: names of globals and builtins, closure variables, and imports inside the
function, each with the attributes that are read from modules or classes. This module does not analyze functions of
libraries, including hocket.
"""

from __future__ import annotations

import builtins
import dis
import importlib
import re
import types
import weakref
from collections.abc import Iterator
from typing import Any, NamedTuple

from .dependencies import functions_in

_SILENT = {"CACHE", "PRECALL", "PUSH_NULL", "EXTENDED_ARG", "NOP", "SWAP", "ROT_TWO", "POP_TOP"}
_FAST_ACCESS = re.compile("(?:LOAD|STORE)_FAST")


class Read(NamedTuple):
    """An object that a function reads, and the expression in the function's source that names the object."""

    spelling: str
    value: Any
    function: str
    file: str
    line: int


#: Cached results of `reads_of`, and the globals on which each result depends: namespace, name, value.
_known: weakref.WeakKeyDictionary[Any, tuple[list[Read], list[tuple[dict, str, Any]]]] = weakref.WeakKeyDictionary()


def reads_of(function: Any) -> list[Read]:
    """Returns the objects that `function` reads, and those that the user's functions called by `function` read.
    `function` is a Python function or a constexpr function."""
    function = getattr(function, "fn", function)
    function = getattr(function, "__func__", function)  # the function of a bound method
    if function in _known:
        found, used = _known[function]
        if all(space.get(name, vars(builtins).get(name)) is value for space, name, value in used):
            return found
    found, used, has_closures = _search(function)
    if not has_closures:
        _known[function] = found, used
    return found


def _search(function: Any) -> tuple[list[Read], list[tuple[dict, str, Any]], bool]:
    found: list[Read] = []
    used: list[tuple[dict, str, Any]] = []
    waiting: list[Any] = [function]
    seen: set[int] = set()
    has_closures = False
    while waiting:
        current = waiting.pop()
        if not isinstance(current, types.FunctionType) or id(current) in seen or not functions_in(current):
            continue  # hocket's own functions are not analyzed, because they do not change
        seen.add(id(current))
        has_closures |= bool(current.__closure__)
        variables = _variables_of(current)
        for read in _reads_of_code(current.__code__, variables):
            found.append(read)
            waiting.extend(inner for inner in functions_in(read.value) if not _is_of_a_library(inner))
            if (name := read.spelling.partition(".")[0]) in variables:
                used.append((current.__globals__, name, variables[name]))
    return found, used, has_closures


def _is_of_a_library(function: types.FunctionType) -> bool:
    file = function.__code__.co_filename
    return "/site-packages/" in file or "/lib/python3" in file or file.startswith("<frozen ")


def _variables_of(function: types.FunctionType) -> dict[str, Any]:
    variables = {**vars(builtins), **function.__globals__}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            variables[name] = cell.cell_contents
        except ValueError:  # the closure variable is not assigned yet
            variables.pop(name, None)
    return variables


def _reads_of_code(code: types.CodeType, variables: dict[str, Any]) -> Iterator[Read]:
    local_imports: dict[str, tuple[str, Any]] = {}
    lines = dict(dis.findlinestarts(code))
    line = code.co_firstlineno
    current: tuple[str, Any] | None = None  # the object on top of the stack if it was read by its name
    module: tuple[str, Any] | None = None  # an imported module, before its first use
    constant = None

    def read() -> Iterator[Read]:
        if current is not None:
            yield Read(*current, code.co_name, code.co_filename, line)

    for op, name, offset in _instructions(code):
        if op in _SILENT:
            continue
        if op in ("LOAD_ATTR", "LOAD_METHOD") and (longer := _attribute(current, name)):
            current = longer
            continue
        yield from read()
        current = None
        line = lines.get(offset) or line
        if op == "LOAD_CONST":
            constant = name
        elif op == "IMPORT_NAME":
            module = _import(name, names_follow=constant is not None)
        elif op == "IMPORT_FROM":
            module = _attribute(module, name)
        elif op.startswith("STORE_") and module is not None:
            local_imports[name], module = module, None
        elif op.startswith(("LOAD_FAST", "LOAD_DEREF")) and name in local_imports:
            current = local_imports[name]
        elif op in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF") and name in variables:
            current = (name, variables[name])
    yield from read()
    inside = {**variables, **{name: value for name, (_, value) in local_imports.items()}}
    for constant in code.co_consts:  # the code of comprehensions, lambdas and functions in `code`
        if isinstance(constant, types.CodeType):
            yield from _reads_of_code(constant, inside)


def _instructions(code: types.CodeType) -> Iterator[tuple[str, Any, int]]:
    """Yields (name, argument, offset) of the instructions of `code`. From Python 3.13 on, one instruction may access
    two local variables, such as STORE_FAST_LOAD_FAST; such an instruction is split in two."""
    for instruction in dis.get_instructions(code):
        op, argument = instruction.opname, instruction.argval
        accesses = _FAST_ACCESS.findall(op)
        if len(accesses) == 2:
            for access, name in zip(accesses, argument, strict=True):
                yield access, name, instruction.offset
        else:
            yield op, argument, instruction.offset


def _attribute(current: tuple[str, Any] | None, name: str) -> tuple[str, Any] | None:
    if current is None or not isinstance(current[1], types.ModuleType | type) or not hasattr(current[1], name):
        return None
    return f"{current[0]}.{name}", getattr(current[1], name)


def _import(name: str, names_follow: bool) -> tuple[str, Any] | None:
    """Returns the name and the module of an import: `a` for `import a.b`, or `a.b` for `from a.b import ...`."""
    name = name if names_follow else name.partition(".")[0]
    try:
        return name, importlib.import_module(name)
    except ImportError:  # Python reports the failing import when the function runs
        return None
