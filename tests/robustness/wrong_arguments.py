"""Calls every function of the language with arguments of wrong kinds, and reads what the compiler answers.

    python tests/robustness/wrong_arguments.py [--only NAME] [--sample N] [--messages]

The calls are those of the examples in docstrings. In each, one argument is replaced by a value of another kind, or a
keyword is added or misspelt. The compiler may accept that, or raise a CompileError at a line of the kernel in words of
the language. Ends with 1 if it answers otherwise, after a line for each such answer.
"""

from __future__ import annotations

import argparse
import ast
import collections
import contextlib
import dataclasses
import decimal
import io
import linecache
import pathlib
import random
import re
import sys
import textwrap
from typing import Any

import numpy as np

import hocket
from hocket import CompileError, LaunchError
from hocket import language as gl
from hocket.nvidia.hopper import TensorDescriptor, TensorDescriptorIm2Col

sys.path += [str(pathlib.Path(__file__).parents[2] / folder) for folder in ("tests/python/language", "tools")]
import docstring_examples as examples
from write_support_matrix import STUBS, targets_of

#: Values of each kind, as expressions of a kernel.
VALUES = [
    *("p", "i", "x", "t", "x > 1", "gl.program_id(0)", "gl.sum(x)", "desc", "images"),
    *("0", "1", "-1", "3", "64", "2**31", "2**70", "1.5", 'float("nan")', "2j", "True", "None", "...", '"add"', 'b"x"'),
    *("(1, 2)", "(i, x)", "()", "[1]", '{"a": 1}', "[x, x]", "(1, 3)", "(-1, 4)"),
    *("gl.float32", "gl.int32", "gl.float64", "gl.float8e5", "gl.dtype", "gl.pointer_type(gl.float32)"),
    *("L", "T", "S", "gl.SliceLayout(0, T)", "gl.AutoLayout()", "gl.AutoLayout", "gl.BlockedLayout"),
    *("gl.NVMMASharedLayout(128, 16, 2)", "gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 8, 16])"),
    *("shared", "mbarrier.allocate_mbarrier()", "gl", "gl.load", "gl.tensor", "combine", "lambda a: a", "range(4)"),
    *("a_decimal", "a_number", "an_object", "an_aggregate", "AClass", "print"),
]
#: Words that a user has never written.
INTERNAL = re.compile(
    r"InternalError|(?<!static )[Aa]ssertion|pybind|std::|mlir|\bhk[._]|!hk|<class |<function |object at 0x|capsule"
    r"|KeyError|Traceback|incompatible function arguments|[Uu]nable to cast|\b_core\b|unrealized|%\d+\b|__init__\(\)"
    r"|is not iterable|unhashable"
)


@dataclasses.dataclass(frozen=True)
class Constant:
    """A class whose objects kernels do not take."""

    value: int = 0


@hocket.aggregate
class Aggregate:
    size: gl.constexpr


CONSTANTS = {
    "a_decimal": decimal.Decimal("1.5"),
    "a_number": np.int32(3),
    "an_object": Constant(),
    "an_aggregate": Aggregate(3),
    "AClass": Constant,
}
HEAD = examples.HEAD + "\n@hocket.jit\ndef combine(a, b):\n    return a + b\n\n"
SHARED = "shared = gl.allocate_shared_memory(gl.float32, [4, 8], gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))"


@dataclasses.dataclass(frozen=True)
class Answer:
    """The compiler's answer to one call."""

    name: str
    call: str
    kind: str  # "accepted", or the class of the error
    text: str

    @property
    def objection(self) -> str:
        """The reason to reject the answer, or ""."""
        if self.kind == "accepted":
            return ""
        if self.kind not in ("CompileError", "OutOfResources"):
            return f"raises {self.kind}"
        if found := INTERNAL.search(without_source(self.text)):
            return f"has the word {found[0]!r}"
        if self.kind == "CompileError" and not re.match(r"\S+:\d+:\d+: error: \S", self.text):
            return "names no line"
        return ""


def without_source(text: str) -> str:
    """A message without the lines that show the kernel."""
    return "\n".join(line for line in text.splitlines() if not re.match(r"\s*\d+ \||\s+\| ", line))


def calls_in(tree: ast.AST, name: str) -> list[ast.Call]:
    last = name.rpartition(".")[2]
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [node for node in found if getattr(node.func, "attr", getattr(node.func, "id", "")) == last]


def variants(name: str) -> list[tuple[str, tuple[str, ...]]]:
    """(call, body of a kernel) for each wrong call of the function."""
    lines = [line for example in examples.examples_of(STUBS[name]) for line in [example.source]]
    functions = [line for line in lines if line.startswith("@hocket.jit")]
    text = "".join(line for line in lines if not line.startswith("@hocket.jit"))
    result = []
    for number in range(len(calls_in(ast.parse(text), name))):
        for change in changes_of(calls_in(ast.parse(text), name)[number], VALUES):
            tree = ast.parse(text)
            call = calls_in(tree, name)[number]
            change(call)
            result.append((ast.unparse(call), (*functions, ast.unparse(tree))))
    return result


def changes_of(call: ast.Call, values: list[str]) -> list[Any]:
    """Functions that make a wrong call of one like `call`."""

    def value_of(text: str) -> ast.expr:
        return ast.parse(text, mode="eval").body

    def replace_positional(k: int, text: str):
        return lambda call: call.args.__setitem__(k, value_of(text))

    def replace_keyword(k: int, text: str):
        return lambda call: setattr(call.keywords[k], "value", value_of(text))

    def misspell(k: int):
        return lambda call: setattr(call.keywords[k], "arg", (call.keywords[k].arg or "") + "x")

    changes: list[Any] = [replace_positional(k, text) for k in range(len(call.args)) for text in values]
    changes += [replace_keyword(k, text) for k in range(len(call.keywords)) for text in values]
    changes += [misspell(k) for k in range(len(call.keywords))]
    changes += [lambda call: call.keywords.append(ast.keyword("no_such_parameter", value_of("1")))]
    changes += [lambda call: call.args.append(value_of("x")), lambda call: call.args.clear()]
    changes += [lambda call: call.keywords.clear()]
    return changes


def descriptors(p: np.ndarray) -> tuple[Any, Any]:
    layout, corner = gl.NVMMASharedLayout(0, 32, 2), [0]
    corners = {"pixel_box_lower_corner": corner, "pixel_box_upper_corner": corner}
    return (
        TensorDescriptor(p, [8, 8], [8, 1], [8, 4], layout),
        TensorDescriptorIm2Col(p, [1, 8, 4], [32, 4, 1], [8, 4], layout, **corners),
    )


def aligned(count: int) -> np.ndarray:
    memory = np.zeros(count * 4 + 16, np.uint8)
    start = -memory.ctypes.data % 16
    return memory[start : start + count * 4].view(np.int32)


def answer(name: str, call: str, body: tuple[str, ...], target: str | None = None) -> Answer:
    """Compiles the kernel."""
    target = target or targets_of(name)[-1]
    prelude = [*examples.PRELUDE.splitlines(), SHARED] if "sm_" in target or "mbarrier" not in call else []
    parameters = ["p", "desc", "images", *(f"{constant}: gl.constexpr" for constant in CONSTANTS)]
    *functions, statements = body
    kernel = f"@hocket.jit\ndef example({', '.join(parameters)}):\n" + textwrap.indent(
        "\n".join([*(prelude or examples.PRELUDE.splitlines()), statements]), "    "
    )
    file = f"<{name}-{abs(hash(call))}>"
    text = "\n\n".join([HEAD, *functions, kernel]) + "\n"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    space: dict[str, Any] = {"__name__": "wrong_arguments"}
    exec(compile(text, file, "exec"), space)
    p = aligned(64)
    warps = 8 if name.endswith("warp_pipeline_stage") else 4 if ".hopper" in name else 1
    try:
        descs = descriptors(p) if target == "sm_90a" else (None, None)
        ctas = 2 if name == "gl.nvidia.hopper.async_store" else 1
        with contextlib.redirect_stdout(io.StringIO()):  # gl.static_print
            space["example"].warmup(p, *descs, **CONSTANTS, target=target, num_warps=warps, num_ctas=ctas)
    except (CompileError, LaunchError) as error:
        return Answer(name, call, type(error).__name__, str(error))
    except Exception as error:
        return Answer(name, call, type(error).__name__, f"{error}")
    finally:
        del linecache.cache[file]
    return Answer(name, call, "accepted", "")


def all_calls(only: str = "") -> list[tuple[str, str, tuple[str, ...]]]:
    names = [name for name in STUBS if only in name]
    found = {body: (name, call, body) for name in names for call, body in variants(name)}
    return list(found.values())  # methods often have the example of the function


def sampled(count: int, seed: int = 0) -> list[Answer]:
    calls = all_calls()
    return [answer(*call) for call in random.Random(seed).sample(calls, count)]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="", help="functions whose name contains this")
    parser.add_argument("--sample", type=int, help="number of calls, chosen at random")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--messages", action="store_true", help="print each kind of message once")
    options = parser.parse_args()
    calls = all_calls(options.only)
    if options.sample:
        calls = random.Random(options.seed).sample(calls, min(options.sample, len(calls)))
    kinds: collections.Counter[str] = collections.Counter()
    wrong, seen = 0, set()
    for call in calls:
        found = answer(*call)
        kinds[found.kind] += 1
        if found.objection:
            wrong += 1
            print(
                f"{found.name}: {found.call}: {found.objection}\n{textwrap.indent(found.text[:600], '    ')}",
                flush=True,
            )
        elif (
            options.messages
            and found.text
            and (words := re.sub(r"[^\s]+:\d+:\d+", "", without_source(found.text))) not in seen
        ):
            seen.add(words)
            print(f"{found.name}: {found.call}\n{textwrap.indent(words, '    ')}", flush=True)
    print(f"{len(calls)} calls: {', '.join(f'{count} {kind}' for kind, count in kinds.most_common())}; {wrong} to mend")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
