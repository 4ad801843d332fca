"""Finds the arguments that a function writes: those that it passes to kernels which store through them, and those that
it changes by PyTorch.

The sources of the function and of its kernels are read, because a schema is needed before the first launch. A kernel
stores through a parameter if the address of a store or an atomic is the parameter plus offsets, also in functions that
the kernel calls. The facts of a compiled kernel contain all arguments that it writes; `user_operators` compares the
two at the first launch.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterable
from types import FunctionType, ModuleType
from typing import Any

from ..runtime.jit import JITFunction

#: Names of functions of the language that write global memory through their arguments.
_WRITES = re.compile(r"store|atomic|scatter|to_global")
#: Functions of the language whose result is the pointer that they take.
_SAME_POINTER = frozenset({"multiple_of", "max_contiguous", "max_constancy"})
#: Methods of tensors, and functions of PyTorch, whose result shares the memory of the tensor. The results of
#: `contiguous`, `to` and `float` often do.
_VIEWS = frozenset(
    {"as_strided", "bfloat16", "chunk", "contiguous", "cuda", "detach", "diagonal", "expand", "expand_as", "flatten"}
    | {"float", "half", "moveaxis", "movedim", "narrow", "permute", "ravel", "reshape", "reshape_as", "select", "split"}
    | {"split_with_sizes", "squeeze", "swapaxes", "swapdims", "t", "tensor_split", "to", "transpose", "unbind"}
    | {"unflatten", "unfold", "unsqueeze", "view", "view_as"}
)


def written_arguments(function: FunctionType, names: Iterable[str]) -> list[str]:
    """Returns those of the parameters `names` of a Python function that the function writes, in order."""
    reader = _HostReader(function)
    return [name for name in names if name in reader.written]


class _Reader:
    """Reads the source of a function. `written`: the parameters that it writes."""

    #: True if `a += b` changes the memory of `a`.
    CHANGES_IN_PLACE = False

    def __init__(self, function: FunctionType, seen: frozenset[FunctionType] = frozenset()):
        self.function = function
        self.seen = seen | {function}
        self.written: set[str] = set()
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        except (OSError, TypeError, SyntaxError):
            return
        code = function.__code__
        self.parameters = list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
        #: For each name, the parameters whose memory the value of the name can point to.
        self.roots: dict[str, set[str]] = {name: {name} for name in self.parameters}
        body = [node for statement in tree.body[:1] for node in ast.walk(statement)]
        while self._assign(body):
            pass
        for node in body:
            self.read(node)

    def _assign(self, body: list[ast.AST]) -> bool:
        """Adds the roots of assigned names. Returns True if a name got a root."""
        before = sum(map(len, self.roots.values()))
        for node in body:
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    self._bind(target, node.value)
            elif isinstance(node, ast.AugAssign) and not self.CHANGES_IN_PLACE:
                self._bind(node.target, node.value)
            elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
                self._bind(node.target, node.value)
            elif isinstance(node, ast.For | ast.comprehension):
                self._bind(node.target, node.iter)
        return sum(map(len, self.roots.values())) != before

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            values = value.elts if isinstance(value, ast.Tuple | ast.List) else []
            matched = values if len(values) == len(target.elts) else [value] * len(target.elts)
            for element, given in zip(target.elts, matched, strict=True):
                self._bind(element, given)
        elif isinstance(target, ast.Name):
            self.roots.setdefault(target.id, set()).update(self.roots_of(value))

    def roots_of(self, node: ast.expr) -> set[str]:
        """Returns the parameters whose memory the value of an expression can point to."""
        if isinstance(node, ast.Name):
            return self.roots.get(node.id, set())
        if isinstance(node, ast.Subscript | ast.Attribute | ast.Starred):
            return self.roots_of(node.value)
        if isinstance(node, ast.IfExp):
            return self.roots_of(node.body) | self.roots_of(node.orelse)
        if isinstance(node, ast.Tuple | ast.List):
            return set().union(*map(self.roots_of, node.elts))
        if isinstance(node, ast.Call):
            return self.roots_of_call(node)
        return self.roots_of_other(node)

    def roots_of_call(self, node: ast.Call) -> set[str]:
        raise NotImplementedError

    def roots_of_other(self, node: ast.expr) -> set[str]:
        return set()

    def read(self, node: ast.AST) -> None:
        """Adds the parameters that a statement or an expression writes."""
        raise NotImplementedError

    def write(self, *nodes: ast.expr) -> None:
        for node in nodes:
            self.written |= self.roots_of(node)

    def write_by(self, kernel: JITFunction, call: ast.Call) -> None:
        """Adds the arguments of a call or launch of `kernel` that the kernel writes."""
        written = _KernelReader(kernel.fn, self.seen).written
        names = dict(zip(kernel.arg_names, call.args, strict=False))
        names.update({keyword.arg: keyword.value for keyword in call.keywords if keyword.arg})
        self.write(*(value for name, value in names.items() if name in written))

    def value_of(self, node: ast.expr) -> Any:
        """Returns the global or nonlocal object of a name or an attribute; None if it is unknown."""
        if isinstance(node, ast.Attribute):
            return getattr(self.value_of(node.value), node.attr, None)
        if not isinstance(node, ast.Name):
            return None
        nonlocals = dict(zip(self.function.__code__.co_freevars, self.function.__closure__ or (), strict=True))
        if node.id in nonlocals:
            try:
                return nonlocals[node.id].cell_contents
            except ValueError:
                return None
        return self.function.__globals__.get(node.id)

    def kernel_of(self, node: ast.expr) -> JITFunction | None:
        """Returns the kernel that is the value of an expression, also if autotune or heuristics wrap the kernel."""
        value = self.value_of(node)
        while value is not None and not isinstance(value, JITFunction):
            value = getattr(value, "fn", None)
        return value if value is not None and value.fn not in self.seen else None


class _KernelReader(_Reader):
    """Reads a kernel, or a function that a kernel calls."""

    def roots_of_call(self, node: ast.Call) -> set[str]:
        return self.roots_of(node.args[0]) if _name_of(node.func) in _SAME_POINTER and node.args else set()

    def roots_of_other(self, node: ast.expr) -> set[str]:
        if isinstance(node, ast.BinOp):
            return self.roots_of(node.left) | self.roots_of(node.right)
        return set()

    def read(self, node: ast.AST) -> None:
        if not isinstance(node, ast.Call):
            return
        if (called := self.kernel_of(node.func)) is not None:
            self.write_by(called, node)
        elif _WRITES.search(_name_of(node.func)):
            self.write(*node.args, *(keyword.value for keyword in node.keywords))


class _HostReader(_Reader):
    """Reads the Python function of an operator."""

    CHANGES_IN_PLACE = True

    def roots_of_call(self, node: ast.Call) -> set[str]:
        if not isinstance(node.func, ast.Attribute) or node.func.attr not in _VIEWS:
            return set()
        return set().union(*map(self.roots_of, self.subjects_of(node)))

    def subjects_of(self, call: ast.Call) -> list[ast.expr]:
        """Returns the tensor of the call of a method, or of a function of a module: `x` in `x.view(-1)`,
        `torch.ravel(x)` and `torch.ravel(input=x)`."""
        if isinstance(call.func, ast.Attribute) and not isinstance(self.value_of(call.func.value), ModuleType):
            return [call.func.value]
        return [*call.args[:1], *(keyword.value for keyword in call.keywords if keyword.arg == "input")]

    def read(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            elements = [element for target in node.targets for element in ast.walk(target)]
            self.write(*(e.value for e in elements if isinstance(e, ast.Subscript) and isinstance(e.ctx, ast.Store)))
        elif isinstance(node, ast.AugAssign):
            self.write(node.target)
        elif isinstance(node, ast.Call):
            if isinstance(node.func, ast.Subscript) and (kernel := self.kernel_of(node.func.value)) is not None:
                self.write_by(kernel, node)
            elif _is_in_place(_name_of(node.func)):
                self.write(*self.subjects_of(node))
            elif any(keyword.arg == "inplace" for keyword in node.keywords):
                self.write(*node.args[:1])
            self.write(*(keyword.value for keyword in node.keywords if keyword.arg == "out"))


def _is_in_place(method: str) -> bool:
    return method.endswith("_") and not method.startswith("_")


def _name_of(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


__all__ = ["written_arguments"]
