"""Every pass in TableGen has an example, and the statements of the example are in a lit test of the pass.

In an example, a line of code is input; a comment after it or instead of it is output, or a remark if it names no
operation:

    hk.local_store %x, %a : ...
                                // hk.barrier local
    %y = hk.local_load %a : ... // a remark

The input must be in the input of one function of a lit test that runs the pass, and the output in the CHECK lines of
the same function, both in order. Names of SSA values and blocks, and "...", are ignored. A comment that begins with
"error:" or "remark:" must be in a diagnostic that the function expects.
"""

import pathlib
import re
from typing import NamedTuple

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIT = ROOT / "tests" / "lit"
OPERATION = re.compile(r"(?<![#!\w.])(?:hk|hk_nv|hk_amd|lane|prof|llvm|nvvm|rocdl|scf|cf|arith|func)\.[a-z]\w*")


class Pass(NamedTuple):
    argument: str
    examples: list[str]


class Function(NamedTuple):
    """A function of a lit test: the tokens of each line of its input, and of each line that FileCheck expects."""

    name: str
    input: list[list[str]]
    output: list[list[str]]
    errors: str


def passes_in(text):
    """The passes that a file of TableGen defines."""
    return [
        Pass(match[1], re.findall(r"```mlir\n(.*?)```", match[2], re.DOTALL))
        for match in re.finditer(r'^def \w+ : Pass<"([^"]+)"(.*?)^}', text, re.DOTALL | re.MULTILINE)
    ]


PASSES = {each.argument: each for path in ROOT.glob("csrc/**/Passes.td") for each in passes_in(path.read_text())}


def tokens_of(line):
    """Words, numbers and names of attributes and types, without SSA values and blocks."""
    line = re.sub(r"[%^]\[\[.*?\]\]|[%^][\w$]+(?:[:#]\d+)?|\{\{.*?\}\}|\[\[.*?\]\]|\.\.\.", " ", line)
    return re.findall(r"[#!@]?\w[\w.]*", line)


def functions_of(text):
    """The functions of a lit test, each with the comments before it."""
    lines = text.splitlines()
    starts = []
    for i, line in enumerate(lines):
        if re.match(r"\s*(?:func|llvm)\.func", line):
            while i and lines[i - 1].strip() and (not starts or i - 1 > starts[-1]):
                i -= 1
            starts.append(i)
    functions = []
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=False):
        own = lines[start:end]
        checks = [match[1] for line in own if (match := re.search(r"//\s*CHECK[\w-]*:(.*)", line))]
        code = [line.split("//")[0] for line in own]
        errors = " ".join(line for line in own if re.search(r"expected-(?:error|remark|warning)", line))
        name = next((match[1] for line in own if (match := re.search(r"\.func (?:private )?(@\w+)", line))), "")
        functions.append(Function(name, list(map(tokens_of, code)), list(map(tokens_of, checks)), errors))
    return functions


def lit_tests_of(argument):
    """The texts of the lit tests that run a pass by its name."""
    runs = re.compile(rf"//.*--?{argument}(?![\w-])")
    return [text for path in sorted(LIT.rglob("*.mlir")) if runs.search(text := path.read_text())]


def parts_of(example):
    """(input, output, errors) of an example: the input and output statements, and the texts of errors."""
    inputs, outputs, errors = [], [], []
    for line in example.splitlines():
        code, _, comment = line.partition("//")
        inputs += [code.strip()] if tokens_of(code) else []
        if match := re.match(r"\s*(?:error|remark): (.*)", comment):
            errors.append(match[1])
        elif OPERATION.search(comment):
            outputs += [part.strip() for part in comment.split("; ") if tokens_of(part)]
    return inputs, outputs, errors


def is_within(part, whole):
    """True if `whole` has the items of `part` in order, not necessarily adjacent."""
    rest = iter(whole)
    return all(item in rest for item in part)


def find_missing(statements, lines):
    """The first of `statements` that is not in `lines` after those before it; None if all are."""
    rest = iter(lines)
    for statement in statements:
        tokens = tokens_of(statement)
        if not any(is_within(tokens, line) for line in rest):
            return statement
    return None


def missing_from(example, function):
    """The first statement of an example that is not in a function; None if all are."""
    inputs, outputs, errors = parts_of(example)
    return (
        find_missing(inputs, function.input)
        or find_missing(outputs, function.output)
        or next((error for error in errors if error not in function.errors), None)
    )


def closest(example, functions):
    """The function that has most of the statements of an example, and the first one that is not in it."""
    order = [statement for part in parts_of(example) for statement in part]
    missing = [(missing_from(example, function), function.name) for function in functions]
    return max(missing, key=lambda each: len(order) if each[0] is None else order.index(each[0]))


def test_all_passes_are_found():
    assert len(PASSES) >= 40
    assert "hocket-insert-barriers" in PASSES


@pytest.mark.parametrize("argument", sorted(PASSES))
def test_examples_are_in_lit_tests(argument):
    functions = [function for text in lit_tests_of(argument) for function in functions_of(text)]
    assert functions, "no lit test runs the pass"
    assert PASSES[argument].examples, "the description has no example"
    for example in PASSES[argument].examples:
        assert parts_of(example)[0], "the example has no input"
        statement, name = closest(example, functions)
        assert statement is None, f"no lit test has the example; {name} has it except for: {statement}"


FUNCTION = """
// CHECK-LABEL: @f
// CHECK: %[[A:.+]] = hk.local_alloc %arg0 offset = 0
// CHECK-NEXT: hk.barrier local
// CHECK-NEXT: hk.local_load %[[A]]
func.func @f(%x: !tile) -> !tile {
  %a = hk.local_alloc %x : (!tile) -> !smem
  %y = hk.local_load %a : !smem -> !tile // expected-remark @below {{no bank conflicts}}
  return %y : !tile
}
"""


@pytest.mark.parametrize(
    ("example", "missing"),
    [
        ("%a = hk.local_alloc %x : ... // hk.local_alloc %x offset = 0\n// hk.barrier local", None),
        ("%t = hk.local_load %s // a remark\n// remark: no bank conflicts", None),
        ("hk.local_load %a\nhk.local_alloc %x", "hk.local_alloc %x"),
        ("hk.local_load %a // hk.barrier global", "hk.barrier global"),
        ("hk.local_load %a // hk.local_load %a; hk.barrier local", "hk.barrier local"),
        ("hk.local_alloc %x // hk.local_alloc %x offset = 4", "hk.local_alloc %x offset = 4"),
        ("hk.local_load %a // error: bank conflicts of 2 lanes", "bank conflicts of 2 lanes"),
    ],
)
def test_statements_that_a_function_does_not_have(example, missing):
    (function,) = functions_of(FUNCTION)
    assert missing_from(example, function) == missing
