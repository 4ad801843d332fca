"""Mutated kernels through the front end, and some through the whole compiler: a CompileError or a result.

The kernels are those of tests/errors, of the lit tests, of the tutorials and of feature_kernels.py, with the arguments
these are compiled for.
Each mutant is compiled in a forked process, which may crash; its parent continues with the next one.
"""

import argparse
import ast
import functools
import importlib.util
import linecache
import pathlib
import random
import re
import shlex
import sys
import types
from typing import Any, NamedTuple

import forked
import kernel_mutations
from campaign import Part

ROOT = pathlib.Path(__file__).parents[3]
#: Folder of the kernels with mistakes, and of the module `cases` that they import.
ERRORS = ROOT / "tests/errors"
# A tenth goes through the passes too, and half of these down to assembly.
LOWERED, ASSEMBLED = 0.1, 0.05
# There are fewer of these than of mistakes.
FEATURES_WEIGHT = 20


class Seed(NamedTuple):
    """A kernel and its compile options."""

    name: str
    function: ast.FunctionDef | ast.Module
    namespace: dict[str, Any]
    signature: list[str]
    constexprs: dict[str, Any]
    target: str
    num_warps: int
    options: dict[str, Any] | None = None


@functools.cache
def load(path):
    folders = [str(path.parent), str(ERRORS)]
    sys.path[:0] = folders
    try:
        spec = importlib.util.spec_from_file_location(f"robustness_{path.stem}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        for folder in folders:
            sys.path.remove(folder)
    tree = ast.parse(path.read_text())
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    return module, functions


def seeds_of_mistakes():
    for path in sorted(ERRORS.glob("*/*.txt")):
        module, functions = load(path.with_suffix(".py"))
        for name, kernel in vars(module).items():
            if wrong := getattr(kernel, "mistake", None):
                yield Seed(name, functions[name], vars(module), wrong.signature, wrong.constexprs, *wrong[2:4])


def seeds_of_commands():
    """Returns the kernels that the lit tests compile."""
    parser = argparse.ArgumentParser()
    parser.add_argument("kernel")
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--signature", default="")
    parser.add_argument("--constexpr", action="append", default=[])
    parser.add_argument("--num-warps", type=int, default=4)
    for test in sorted((ROOT / "tests/lit").rglob("*.test")):
        text = re.sub(r"\\\n\s*(?://)?\s*RUN:", " ", test.read_text()).replace("%S", str(test.parent))
        text = text.replace("%tutorials", str(ROOT / "tutorials")).replace("%examples", str(ROOT / "examples"))
        for command in re.findall(r"RUN: *hocket compile ([^|\n]*)", text):
            options, _ = parser.parse_known_args(shlex.split(command))
            file, _, name = options.kernel.partition("::")
            if "%" in options.kernel + options.target:
                continue
            module, functions = load(pathlib.Path(file))
            pairs = (pair.partition("=") for pair in options.constexpr)
            constexprs = {key: eval(value, vars(module)) for key, _, value in pairs}
            signature = [entry.strip() for entry in options.signature.split(",") if entry.strip()]
            yield Seed(name, functions[name], vars(module), signature, constexprs, options.target, options.num_warps)


def seeds_of_features():
    module, functions = load(pathlib.Path(__file__).with_name("feature_kernels.py"))
    for name, kernel in vars(module).items():
        if isinstance(given := getattr(kernel, "given", None), module.Given):
            definitions = ast.Module([*(functions[used] for used in given.uses), functions[name]], [])
            yield Seed(
                name, definitions, vars(module), given.signature, given.constexprs, given.target, 4, given.options
            )


@functools.cache
def corpus():
    return [*seeds_of_mistakes(), *seeds_of_commands(), *FEATURES_WEIGHT * [*seeds_of_features()]]


ENTRIES = [
    "*f32",
    "*f32:16",
    "*f16:16",
    "*bf16",
    "*i8",
    "*i32",
    "*i64",
    "*f8e4nv",
    "f32",
    "f64",
    "i32",
    "i32:16",
    "i64",
]
ENTRIES += ["u8", "i1", "i32=1", "None", "*"]


def mutant(number):
    """(seed, text) of a mutant."""
    rng = random.Random(number)
    seed = rng.choice(corpus())
    text = kernel_mutations.mutate(rng, seed.function, [other.function for other in corpus()])
    if rng.random() < 0.15 and seed.signature:
        signature = list(seed.signature)
        signature[rng.randrange(len(signature))] = rng.choice(ENTRIES)
        seed = seed._replace(signature=signature)
    if rng.random() < 0.1:
        seed = seed._replace(num_warps=rng.choice([1, 2, 8, 16, 32, 0, -1, 3, 64]))
    if rng.random() < 0.1 and seed.constexprs:
        name = rng.choice(list(seed.constexprs))
        value = rng.choice([*kernel_mutations.INTEGERS, *kernel_mutations.OTHERS])
        seed = seed._replace(constexprs={**seed.constexprs, name: value})
    return seed, text


INTERNAL_NAMES = re.compile(
    r"#hk|!hk|tensor<|'(?:hk|hk_amd|hk_nv|prof|arith|scf|llvm|lane|func|math)\.|\bop (?:operand|result)\b"
)


def define(file, text, seed):
    """Returns the kernel of `seed` that `text` defines, as a kernel of `file`."""
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    namespace = dict(seed.namespace)
    exec(compile(text, file, "exec"), namespace)
    return namespace[seed.name]


def compile_mutant(number):
    """None, or (kind, what) of a finding."""
    import hocket
    from hocket import _core

    seed, text = mutant(number)
    try:
        kernel = define(f"<mutant {number}>", text, seed)
    except Exception:
        return None  # what Python itself refuses
    function = getattr(kernel, "fn", kernel)
    if not isinstance(function, types.FunctionType):
        return None
    depth = random.Random(number).random()
    try:
        if depth < LOWERED or (seed.options and depth < 0.5):  # the front end alone is not told of these
            lower(function, seed, "asm" if depth < ASSEMBLED else "lane")
        else:
            _core.emit_hk(function, seed.signature, seed.constexprs, seed.target, emitted_warps(seed))
    except hocket.CompileError as error:
        if found := INTERNAL_NAMES.search(error.message):
            return "wrong", f"internal name {found.group()} in: {error.message}"
    except (ValueError, hocket.LaunchError):
        pass  # the signature, the number of warps
    except hocket.InternalError as error:
        return "crashed", f"InternalError: {error}"
    except Exception as error:
        return "wrong", f"{type(error).__name__}: {error}"
    return None


def emitted_warps(seed):
    """Returns the seed's number of warps if it is valid, else 4: the front end never receives invalid launch
    options."""
    return seed.num_warps if seed.num_warps in (1, 2, 4, 8, 16) else 4


def lower(function, seed, wanted):
    import hocket
    from hocket import _core
    from hocket.cli import UsageError
    from hocket.cli.signatures import bind_signature
    from hocket.runtime.options import Options

    kernel = hocket.jit(function)
    try:
        values = {name: seed.constexprs[name] for name in kernel.arg_names if name in seed.constexprs}
        kinds, constants, _ = bind_signature(kernel, ",".join(seed.signature), values)
        options = Options.given({"num_warps": seed.num_warps, **(seed.options or {})}, False)
    except (UsageError, hocket.LaunchError, ValueError, TypeError):
        return
    if wanted == "asm":
        wanted = "ptx" if seed.target.startswith("sm") else "amdgcn"
    _core.compile(kernel, kinds, constants, seed.target, options, [wanted])


def run_batch(numbers):
    import hocket  # noqa: F401

    corpus()  # once, before the forks
    return forked.try_all(numbers, compile_mutant, describe)


def describe(number):
    seed, text = mutant(number)
    return f"{seed.target} {seed.signature} {seed.constexprs} num_warps={seed.num_warps}\n{text}\n"


PART = Part("mutated-kernels", long=50_000, quick=200, batch=100, run=run_batch)
