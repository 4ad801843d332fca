"""Loads the kernels and functions that a command line names as FILE.py::NAME, and parses the values of constexprs."""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import inspect
import pathlib
import re
import sys
import textwrap
import traceback
from types import ModuleType
from typing import Any

from ..errors import HocketError, shown_path


class UsageError(Exception):
    """A mistake in the command line. The error is printed without a traceback."""


def load_kernel(text: str) -> tuple[ModuleType, Any]:
    """Returns the module and the kernel that FILE.py::KERNEL names."""
    file, name = _split(text, "kernel", "KERNEL")
    module = load_module(file)
    kernel = kernel_in(getattr(module, name, None))
    if kernel is None and inspect.isfunction(function := getattr(module, name, None)):
        raise UsageError(
            f"{name} of {file}:{function.__code__.co_firstlineno} is a function of Python, not a kernel\n"
            "  hint: write @hocket.jit above its `def`"
        )
    if kernel is None:
        kernels = [key for key, value in vars(module).items() if kernel_in(value)]
        raise UsageError(f"{file} has no kernel {name}; it has {', '.join(kernels) or 'none'}")
    return module, kernel


def kernel_in(value: Any) -> Any:
    """Returns `value` itself if it is a kernel, and the wrapped kernel if `value` is a result of autotune or
    heuristics; otherwise None."""
    from ..runtime.jit import JITFunction

    while value is not None and not isinstance(value, JITFunction):
        value = getattr(value, "fn", None)
    return value


def load_function(text: str) -> tuple[ModuleType, Any]:
    """Returns the module and the kernel or Python function that FILE.py::FUNCTION names."""
    file, name = _split(text, "function", "FUNCTION")
    module = load_module(file)
    function = getattr(module, name, None)
    if callable(function):
        return module, kernel_in(function) or function
    own = {key: value for key, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__}
    kernels = [key for key, value in own.items() if kernel_in(value)]
    functions = [key for key, value in own.items() if callable(value) and key not in kernels]
    raise UsageError(
        f"{file} has no function {name}; it has the functions {', '.join(functions) or '(none)'} "
        f"and the kernels {', '.join(kernels) or '(none)'}"
    )


def _split(text: str, what: str, placeholder: str) -> tuple[str, str]:
    file, separator, name = text.rpartition("::")
    if not separator or not name:
        raise UsageError(f"{text}: write the file and the {what} as FILE.py::{placeholder}")
    return file, name


def load_module(file: str) -> ModuleType:
    """Imports a file and returns its module. Output of the import goes to stderr."""
    path = pathlib.Path(file)
    if not path.is_file():
        raise UsageError(f"there is no file {file}")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{file} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)  # dataclasses and pickle look the module up in `sys.modules`
    sys.path.insert(0, str(path.parent))  # `python FILE.py` also adds this folder to `sys.path`
    try:
        with contextlib.redirect_stdout(sys.stderr):  # stdout is reserved for the output of the command
            spec.loader.exec_module(module)
    except HocketError:
        raise
    except (Exception, SystemExit) as error:
        raise UsageError(f"{file} cannot be imported: {raised_text(error, file)}") from error
    return module


def raised_text(error: BaseException, file: str) -> str:
    """Returns the text of an exception in one line, with the number of the last line of `file` in the traceback."""
    text = f"{type(error).__name__}: {error}"
    if isinstance(error, SyntaxError) and error.lineno:  # the message of a SyntaxError already contains the source line
        return text
    frames = traceback.extract_tb(error.__traceback__)
    path = str(pathlib.Path(file).resolve())
    own = [frame for frame in frames if str(pathlib.Path(frame.filename).resolve()) == path]
    frame = (own or frames)[-1] if frames else None
    return f"{text} ({shown_path(frame.filename)}:{frame.lineno})" if frame else text


#: Functions of the language whose first argument is an address.
_ACCESSES = re.compile(r"(buffer_)?(load|store|atomic_\w+)|\w+_to_shared")


def example_signature(kernel: Any, names: list[str], pointer: str, number: str) -> str:
    """Returns a signature for the parameters `names`. A parameter is a pointer if the kernel uses it as the first term
    of an address."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(kernel.fn)))
    except (OSError, TypeError, SyntaxError):
        tree = ast.Module([], [])
    pointers = set()
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and call.args and isinstance(call.func, ast.Attribute):
            if _ACCESSES.fullmatch(call.func.attr):
                # The first argument of a copy to shared memory is its destination, so the pointer is the second
                # argument.
                address = call.args[call.func.attr.endswith("_to_shared") and len(call.args) > 1]
                pointers.add(_first_name(address))
    return ",".join(pointer if name in pointers else number for name in names)


def _first_name(expression: ast.expr) -> str | None:
    """Returns the leftmost name of an expression: `x` of `x + i * n`."""
    while isinstance(expression, ast.BinOp):
        expression = expression.left
    return expression.id if isinstance(expression, ast.Name) else None


def parse_constexpr(text: str, module: ModuleType) -> tuple[str, Any]:
    """Returns the name and the value of `NAME=EXPRESSION`, evaluated with the names of `module`."""
    name, separator, expression = text.partition("=")
    if not separator:
        raise UsageError(f"--constexpr {text}: write NAME=VALUE")
    try:
        return name, ast.literal_eval(expression)
    except (ValueError, SyntaxError):
        pass
    try:
        return name, eval(expression, vars(module))
    except Exception as error:
        raise UsageError(f"--constexpr {text}: {type(error).__name__}: {error}") from error
