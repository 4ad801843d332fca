"""GEMM with a function of the user as epilogue: arguments of `matmul` and their checks."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any

from ... import devices
from ... import language as gl
from ...errors import LaunchError
from ...launch_cache import LaunchCache
from .._common.arrays import ArrayFacts, check_target, facts_of, gpu_of, maker_of_empty, target_of, zeros_like
from .._common.checks import check_plan, hint_for_dtype, is_hashable
from .._common.user_functions import check_function, constants_among, with_constants
from .._matmul import host_cdna, host_nvidia
from .._matmul.host_nvidia import OUTPUTS
from .._matmul.operands import (
    Gemm,
    Operand,
    check_bias,
    check_contiguous,
    check_element,
    check_operands,
    operand_of,
    result_shape,
)
from .._matmul.plan_ampere import AmperePlan
from .._matmul.plan_cdna import CdnaPlan
from .._matmul.plan_hopper import FUNCTION, HopperPlan
from . import host_ampere as epilogue_ampere
from . import host_cdna as epilogue_cdna
from . import host_hopper as epilogue_hopper

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

TARGETS = (*host_nvidia.TARGETS, *host_cdna.TARGETS)

#: Plans of kernels with functions, by target.
PLANS = {"sm_90a": (HopperPlan, AmperePlan), "sm_80": (AmperePlan,), **dict.fromkeys(host_cdna.TARGETS, (CdnaPlan,))}

ARGUMENTS = "acc, row, column"
COUNT_OF_ARGUMENTS = 3

#: Fewest bits per column of A x B of the widest output: a subtile has at most 128 columns.
FEWEST_BITS = 8

#: Largest factor by which an output has fewer columns than A x B.
MOST_FACTOR = 128


def matmul_with_function(
    a: Any, b: Any, out: Any, bias: Any, activation: Any, out_dtype: Any, plan: Any, epilogue: Any, args: Any,
    out_columns: Any,
) -> Any:  # fmt: skip
    """Computes `matmul` with the arguments `epilogue`, `epilogue_args`, `out_columns`, or a tuple as `out`."""
    if epilogue is None:
        has_args = type(args) is not tuple or args
        given = "epilogue_args" if has_args else "out_columns" if out_columns is not None else "a tuple as out"
        raise LaunchError(f"matmul: {given} needs a function as epilogue, but there is none")
    if activation is not None:
        raise LaunchError(
            "matmul: activation and epilogue exclude each other\n  hint: apply the activation in the function"
        )
    outs = () if out is None else _as_tuple(out)
    is_tuple = any(isinstance(value, tuple) for value in (out, out_dtype, out_columns))
    dtypes, columns = _as_tuple(out_dtype), _as_tuple(out_columns)
    types = tuple([type(arg) for arg in args]) if isinstance(args, tuple | list) else type(args)
    if outs and (dtypes or columns):
        given = "out_dtype" if dtypes else "out_columns"
        raise LaunchError(f"matmul: {given} is for new outputs, but `out` is given")
    if () in (dtypes, columns) or (outs == () and out is not None):
        raise LaunchError("matmul: out, out_dtype and out_columns must have an element for each output, not none")
    settings = epilogue, types, dtypes, columns, plan
    try:
        run = _launches.find((a, b, bias, *outs), settings)
    except TypeError:
        if is_hashable(settings):
            raise
        raise LaunchError(
            "matmul: out_dtype, out_columns, plan and epilogue must be hashable, not "
            f"{out_dtype!r}, {out_columns!r}, {plan!r} and {epilogue!r}"
        ) from None
    results = run(a, b, outs, bias, args)
    return results if is_tuple else results[0]


def _as_tuple(value: Any) -> tuple | None:
    return value if value is None or isinstance(value, tuple) else (value,)


def check_arguments(epilogue: Any, types: Any) -> None:
    """Raises a LaunchError unless `epilogue` is a jit function that can be called with further arguments of `types`."""
    if not isinstance(types, tuple):
        raise LaunchError(
            f"matmul: epilogue_args must be a tuple of arrays and numbers, not {types.__name__}"
            "\n  hint: write epilogue_args=(array,)"
        )
    check_function("matmul", "epilogue", epilogue, ARGUMENTS, types, "epilogue_args")
    for index, kind in enumerate(types):
        has_dtype = hasattr(kind, "dtype") and hasattr(kind, "shape")
        if not (has_dtype or issubclass(kind, numbers.Number | gl.constexpr)):
            raise LaunchError(f"matmul: epilogue_args[{index}] is a {kind.__name__}, not an array or a number")
        if issubclass(kind, numbers.Complex) and not issubclass(kind, numbers.Real):
            raise LaunchError(f"matmul: epilogue_args[{index}] is a {kind.__name__}, not a real number")
        # Scalars of NumPy have a dtype and a shape, too, but no length.
        if index in constants_of(epilogue, types) and has_dtype and hasattr(kind, "__len__"):
            name = epilogue.parameters[COUNT_OF_ARGUMENTS + index].name
            raise LaunchError(
                f"matmul: epilogue_args[{index}] is an array, but the parameter `{name}` of {epilogue.fn.__name__} is "
                f"a gl.constexpr\n  hint: pass a number, or write `{name}` without the annotation"
            )


def constants_of(epilogue: Any, types: tuple) -> tuple[int, ...]:
    """Returns the indices of the further arguments, of `types`, that are known at compile time."""
    return constants_among(epilogue, COUNT_OF_ARGUMENTS, len(types))


def _shapes_and_dtypes(
    shape: Sequence[int], dtype: str, dtypes: tuple | None, columns: tuple | None
) -> list[tuple[tuple[int, ...], Any]]:
    """Returns shapes and dtypes of new outputs. `shape`, `dtype`: those of the default."""
    count = max(len(dtypes or (None,)), len(columns or (None,)))
    named = {"out_dtype": dtypes or (dtype,), "out_columns": columns or (shape[-1],)}
    for name, values in named.items():
        if len(values) not in (1, count):
            other = next(key for key in named if key != name)
            raise LaunchError(
                f"matmul: {name} has {len(values)} elements and {other} has {count}; both have one for each output"
            )
        named[name] = values * count if len(values) == 1 else values
    for kind in named["out_dtype"]:
        if isinstance(kind, str) and kind not in OUTPUTS:
            raise LaunchError(f"matmul: out_dtype is one of {', '.join(OUTPUTS)}, not {kind!r}{hint_for_dtype(kind)}")
    for size in named["out_columns"]:
        if isinstance(size, bool) or not isinstance(size, int):
            raise LaunchError(f"matmul: out_columns must be a number, or a tuple of numbers, not {size!r}")
        check_columns("out_columns", size, shape[-1])
    return [
        ((*shape[:-1], size), kind) for size, kind in zip(named["out_columns"], named["out_dtype"], strict=True)
    ]  # fmt: skip


def check_columns(name: str, columns: int, n: int) -> None:
    """Raises a LaunchError unless an output may have `columns` columns, where A x B has `n`."""
    factor = n // columns if columns > 0 else 0
    is_power = factor > 0 and factor & (factor - 1) == 0 and factor <= MOST_FACTOR
    if n and not (is_power and columns * factor == n):
        raise LaunchError(
            f"matmul: {name} is {columns}, but an output has the {n} columns of a x b, or these divided by 2, 4, ... "
            f"{MOST_FACTOR} without a remainder"
        )


def _name(index: int, count: int) -> str:
    return f"out[{index}]" if count > 1 else "out"


def _check_output(name: str, facts: ArrayFacts, expected: tuple[int, ...]) -> None:
    if facts.shape[:-1] != expected[:-1]:
        wanted = " x ".join(map(str, expected))
        raise LaunchError(
            f"matmul: {name} must be {wanted}, or have fewer columns, but its shape is {list(facts.shape)}"
        )
    check_columns(f"the number of columns of {name}", facts.shape[-1], expected[-1])
    if facts.dtype not in OUTPUTS:
        raise LaunchError(f"matmul: elements of {name} are {', '.join(OUTPUTS)}, not {facts.dtype}")
    if 0 not in facts.shape:
        check_contiguous(name, facts)


def _prepare(a: Any, b: Any, bias: Any, *rest: Any) -> Callable[..., tuple[Any, ...]]:
    """Checks the arguments, chooses a plan, and returns a function `(a, b, outs, bias, args)` that launches the kernels
    and returns the outputs."""
    *outs, epilogue, types, dtypes, columns, plan = rest
    check_arguments(epilogue, types)
    left, right = facts_of(a, "matmul: a"), facts_of(b, "matmul: b")
    target = target_of(a)
    check_target("matmul", target, TARGETS)
    check_plan("matmul with epilogue", plan, *PLANS[target])
    operand_of("a", left), operand_of("b", right)
    check_operands(left, right)
    check_element(left.dtype, target, (host_cdna if target in host_cdna.TARGETS else host_nvidia).ELEMENTS[target])
    shape = result_shape(left.shape, right.shape)
    default = "float16" if left.dtype.startswith("float8") else left.dtype
    makers = []
    if not outs:
        makers = [maker_of_empty(a, *form) for form in _shapes_and_dtypes(shape, default, dtypes, columns)]
        outs = [new(a) for new in makers]
    if bias is not None:
        check_bias(bias, right.shape[-1])
    prepare = _prepare_empty if 0 in (*left.shape, *right.shape) else _prepare_launch
    launch = prepare(a, b, tuple(outs), bias, epilogue, plan)
    constants = constants_of(epilogue, types)

    def run(a: Any, b: Any, outs: tuple[Any, ...], bias: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
        if not outs:
            outs = tuple([new(a) for new in makers])
        launch(a, b, outs, bias, with_constants(args, constants) if constants else tuple(args))
        return outs

    return run


#: Plans depend on addresses modulo 32 bytes, the size of a sector of global memory.
_launches = LaunchCache(_prepare, alignment=32)


def _prepare_empty(
    a: Any, b: Any, outs: tuple[Any, ...], bias: Any, epilogue: Any, plan: Any
) -> Callable[..., None]:  # fmt: skip
    """Returns the launch for operands without elements. If only K is 0, the function gets the bias as A x B + bias, as
    for columns and rows of zeros. Otherwise the outputs have no elements."""
    left, right = facts_of(a, "matmul: a"), facts_of(b, "matmul: b")
    shape_of_a, shape_of_b = (*left.shape[:-1], 1), (*right.shape[:-2], 1, right.shape[-1])
    if 0 in (*shape_of_a, *shape_of_b):
        _output_operands(outs, result_shape(left.shape, right.shape))
        return lambda a, b, outs, bias, args: None

    def zeros(a: Any, b: Any) -> tuple[Any, Any]:
        return zeros_like(a, shape_of_a, left.dtype), zeros_like(b, shape_of_b, right.dtype)

    launch = _prepare_launch(*zeros(a, b), outs, bias, epilogue, None)
    return lambda a, b, outs, bias, args: launch(*zeros(a, b), outs, bias, args)


def _output_operands(outs: Sequence[Any], shape: tuple[int, ...]) -> tuple[Operand, ...]:
    """Checks arrays of outputs, where A x B has `shape`, and returns their Operands."""
    operands = []
    for index, out in enumerate(outs):
        name = _name(index, len(outs))
        facts = facts_of(out, f"matmul: {name}")
        _check_output(name, facts, shape)
        operands.append(operand_of(name, facts, devices.address_of(out) % 32))
    return tuple(operands)


def _prepare_launch(
    a: Any, b: Any, outs: tuple[Any, ...], bias: Any, epilogue: Any, plan: Any
) -> Callable[..., None]:  # fmt: skip
    target = target_of(a)
    facts = [facts_of(array, f"matmul: {name}") for name, array in (("a", a), ("b", b))]
    for name, fact in zip("ab", facts, strict=True):
        check_contiguous(name, fact)
    shape = result_shape(facts[0].shape, facts[1].shape)
    outputs = _output_operands(outs, shape)
    operands = [
        operand_of(name, fact, devices.address_of(array) % 32)
        for name, fact, array in zip("ab", facts, (a, b), strict=True)
    ]
    *batch, m, n = shape
    bits = max(FEWEST_BITS, *(output.element_bits * output.columns // n for output in outputs))
    result = operand_of("out", ArrayFacts(shape, (*[m * n] * len(batch), n, 1), "float32", bits))
    gemm = Gemm(*operands, result, bias is not None, FUNCTION, outputs)
    if target in host_cdna.TARGETS:
        return epilogue_cdna.prepare_with_function(gemm, target, epilogue, plan)
    gpu = gpu_of(a)
    plan = plan or host_nvidia.plan_of(gemm, target, gpu and gpu.multiprocessors)
    if isinstance(plan, AmperePlan):
        return epilogue_ampere.prepare_with_function(gemm, epilogue, plan)
    return epilogue_hopper.prepare_with_function(gemm, epilogue, plan, a, b, outs)


__all__ = ["matmul_with_function"]
