"""GEMM on matrix cores: C = activation(A x B + bias)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ... import devices
from ...errors import LaunchError
from ...launch_cache import LaunchCache
from .._common.arrays import ArrayFacts, check_target, facts_of, gpu_of, maker_of_empty, target_of, zeros_like
from .._common.checks import check_flags, checked_shape, hint_for_dtype, is_hashable
from .._common.explain import with_explain
from .._epilogue.host import matmul_with_function
from . import host_cdna, host_nvidia
from .operands import (
    RESULTS,
    Gemm,
    check_activation,
    check_bias,
    check_contiguous,
    check_element,
    check_operands,
    operand_of,
    result_shape,
)
from .plan_hopper import FUNCTION

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

TARGETS = (*host_cdna.TARGETS, *host_nvidia.TARGETS)


def _elements(target: str) -> dict[str, Any]:
    return (host_cdna if target in host_cdna.TARGETS else host_nvidia).ELEMENTS[target]


def explain(
    shape: Sequence[int],
    dtype: str,
    target: str,
    *,
    transposed_a: bool = False,
    transposed_b: bool = False,
    batch: int = 1,
    out_dtype: str | None = None,
    activation: str | None = None,
    has_epilogue: bool = False,
) -> str:
    """Returns sentences that describe how `matmul` computes an M x K times K x N GEMM of contiguous arrays.

    Args:
        shape: (M, N, K).
        dtype: NumPy's name of the operands' dtype: "float16", "bfloat16", "float8_e4m3fn", ...
        target: "gfx942", "gfx950", "sm_80" or "sm_90a".
        transposed_a, transposed_b: whether the operand is the transpose of a row-major matrix.
        batch: number of GEMMs.
        out_dtype, activation: as in `matmul`.
        has_epilogue: whether a function is the epilogue, with one output of N columns.
    """
    check_target("matmul", target, TARGETS)
    check_activation(activation)
    check_element(dtype, target, _elements(target))
    check_flags("matmul.explain", transposed_a=transposed_a, transposed_b=transposed_b, has_epilogue=has_epilogue)
    if has_epilogue and activation is not None:
        raise LaunchError("matmul.explain: activation and has_epilogue exclude each other")
    if isinstance(batch, bool) or not isinstance(batch, int) or batch < 1:
        raise LaunchError(f"matmul.explain: batch must be a positive integer, not {batch!r}")
    results = host_nvidia.OUTPUTS if has_epilogue else RESULTS
    if out_dtype is not None and not (isinstance(out_dtype, str) and out_dtype in results):
        raise LaunchError(
            f"matmul.explain: out_dtype is one of {', '.join(results)}, not {out_dtype!r}{hint_for_dtype(out_dtype)}"
        )
    m, n, k = checked_shape("matmul", shape, "(M, N, K)")
    bits = _elements(target)[dtype].primitive_bitwidth
    out_bits = host_nvidia.OUTPUTS[out_dtype].primitive_bitwidth if out_dtype else max(bits, 16)
    a = operand_of("a", ArrayFacts((batch, m, k), (m * k, *((1, m) if transposed_a else (k, 1))), dtype, bits))
    b = operand_of("b", ArrayFacts((batch, k, n), (n * k, *((1, k) if transposed_b else (n, 1))), dtype, bits))
    out = operand_of("out", ArrayFacts((batch, m, n), (m * n, n, 1), out_dtype or dtype, out_bits))
    if has_epilogue:
        gemm = Gemm(a, b, out, False, FUNCTION, (out,))
    else:
        gemm = Gemm(a, b, out, False, activation or "none")
    plan = (host_cdna if target in host_cdna.TARGETS else host_nvidia).plan_of(gemm, target)
    head = f"{target}, {m} x {k} times {k} x {n} {dtype}: tile {plan.tile}, k-tiles of {plan.block_k}"
    return "\n".join([head, *(f"- {reason}" for reason in plan.reasons)])


@with_explain(explain)
def matmul(
    a: Any,
    b: Any,
    out: Any = None,
    *,
    bias: Any = None,
    activation: str | None = None,
    out_dtype: str | tuple[str, ...] | None = None,
    plan: Any = None,
    epilogue: Any = None,
    epilogue_args: tuple = (),
    out_columns: int | tuple[int, ...] | None = None,
) -> Any:
    """Returns activation(A x B + bias) with float32 accumulation, on matrix cores. With NumPy arrays, it runs in the
    emulator.

    Args:
        a: [M, K], or a batch [B, M, K]: a NumPy array or a PyTorch tensor of float16, bfloat16, a float8 dtype of the
            target, or (NVIDIA) float32, which tensor cores round to tf32, with 10 bits of the fraction. One dimension
            of each matrix must be contiguous; the transpose of a row-major matrix is as fast as a row-major matrix.
            On Hopper, operands whose rows do not begin at multiples of 16 bytes are first copied, which takes memory.
        b: [K, N], or [B, K, N], of the same dtype, with one contiguous dimension. One operand may be a batch and the
            other a single matrix.
        out: [M, N] or [B, M, N] to write the result to; a new array if None.
        bias: [N] of float32, float16 or bfloat16: one number per column.
        activation: None, "relu", "gelu_tanh" or "silu".
        out_dtype: dtype of a new `out`, by NumPy's name. The default is the dtype of `a`, or "float16" for float8.
        plan: a plan to use instead of the cost model's choice, of `hocket.kernels.plans`: a `CdnaPlan` on CDNA, a
            `HopperPlan` or an `AmperePlan` on sm_90a, an `AmperePlan` on sm_80, a `FewRowsPlan` on both.
        epilogue: a `@hocket.jit` function `(acc, row, column, *epilogue_args)` instead of an activation.
            `acc` is a float32 tile [rows, columns] of A x B + bias. `row` and `column` are int32 tiles of shape
            [rows, 1] and [1, columns] with the indices of its elements; in a batch, `row` is matrix * M + row. Indices
            are never past the end. The function returns a tile, or a tuple with a tile for each output. A tile has
            shape [rows, columns], and the output has N columns; or [rows, columns / r], and the output has N / r
            columns, r = 2, 4, ... 128. Tiles of floats are converted to the dtype of the output. See
            docs/epilogues.md.
        epilogue_args: arrays, from which the function loads through pointers, and numbers. Numbers for parameters that
            are annotated `gl.constexpr` are known at compile time.
        out_columns: number of columns of a new output, N by default. With several outputs, `out`, `out_dtype` and
            `out_columns` are tuples with an element for each output. A single `out_dtype` or `out_columns` is for all.

    Sizes may be 0: with K = 0, the result is the activation of the bias. On Hopper, CUDA cores multiply if
    A has one to three rows, or B has one to three columns, and in some cases up to eight.

    Returns: `out`; a tuple if `out`, `out_dtype` or `out_columns` is one.
    Raises: LaunchError for shapes that do not match, for dtypes that the target cannot multiply, and for targets
    without a kernel. CompileError if `epilogue` returns other tiles.

    `matmul.explain(shape, dtype, target)` explains the choice of the tile.
    """
    has_args = type(epilogue_args) is not tuple or epilogue_args
    if epilogue is not None or has_args or out_columns is not None or isinstance(out, tuple):
        return matmul_with_function(
            a, b, out, bias, activation, out_dtype, plan, epilogue, epilogue_args, out_columns
        )  # fmt: skip
    return _launches.find((a, b, out, bias), (activation, out_dtype, plan))(a, b, out, bias)


def _check_names(out_dtype: Any, activation: Any) -> None:
    check_activation(activation)
    if isinstance(out_dtype, str) and out_dtype not in RESULTS:
        raise LaunchError(
            f"matmul: out_dtype is one of {', '.join(RESULTS)}, not {out_dtype!r}{hint_for_dtype(out_dtype)}"
        )


def _maker_of_result(a: Any, b: Any, dtype: str | None) -> Callable[[Any], Any]:
    left, right = facts_of(a, "matmul: a"), facts_of(b, "matmul: b")
    operand_of("a", left), operand_of("b", right)
    check_operands(left, right)
    dtype = dtype or ("float16" if left.dtype.startswith("float8") else left.dtype)
    return maker_of_empty(a, result_shape(left.shape, right.shape), dtype)


def _prepare(
    a: Any, b: Any, out: Any, bias: Any, activation: str | None, out_dtype: str | None, plan: Any
) -> Callable[[Any, Any, Any, Any], Any]:
    """Checks the arguments, chooses a plan, and returns a function `(a, b, out, bias)` that launches the kernels and
    returns the result."""
    _check_names(out_dtype, activation)
    if not all(map(is_hashable, (out_dtype, plan))):
        raise LaunchError(f"matmul: out_dtype and plan must be hashable, not {out_dtype!r} and {plan!r}")
    new_result = _maker_of_result(a, b, out_dtype)
    prepare = _prepare_empty if 0 in (*a.shape, *b.shape) else _prepare_launch
    launch = prepare(a, b, new_result(a) if out is None else out, bias, activation, plan)

    def run(a: Any, b: Any, out: Any, bias: Any) -> Any:
        if out is None:
            out = new_result(a)
        launch(a, b, out, bias)
        return out

    return run


#: Plans depend on addresses modulo 32 bytes, the size of a sector of global memory.
_launches = LaunchCache(_prepare, alignment=32)


def _prepare_empty(a: Any, b: Any, out: Any, bias: Any, activation: str | None, plan: Any) -> Callable[..., None]:
    """Returns the launch for operands without elements. If only K is 0, the GEMM of columns and rows of zeros has the
    same result, the activation of the bias. Otherwise the result has no elements."""
    left, right = facts_of(a, "matmul: a"), facts_of(b, "matmul: b")
    shape_of_a, shape_of_b = (*left.shape[:-1], 1), (*right.shape[:-2], 1, right.shape[-1])
    if bias is not None:
        check_bias(bias, right.shape[-1])
    if 0 in (*shape_of_a, *shape_of_b):
        _check_result(facts_of(out, "matmul: out"), result_shape(left.shape, right.shape))
        return lambda a, b, out, bias: None

    def zeros(a: Any, b: Any) -> tuple[Any, Any]:
        return zeros_like(a, shape_of_a, left.dtype), zeros_like(b, shape_of_b, right.dtype)

    launch = _prepare_launch(*zeros(a, b), out, bias, activation, None)
    return lambda a, b, out, bias: launch(*zeros(a, b), out, bias)


def _check_result(facts: ArrayFacts, expected: tuple[int, ...]) -> None:
    if facts.shape != expected:
        wanted = " x ".join(map(str, expected))
        raise LaunchError(f"matmul: out must be {wanted}, but its shape is {list(facts.shape)}")
    if facts.dtype not in RESULTS:
        raise LaunchError(f"matmul: elements of the result are {', '.join(RESULTS)}, not {facts.dtype}")


def _prepare_launch(a: Any, b: Any, out: Any, bias: Any, activation: str | None, plan: Any) -> Callable[..., None]:
    target = target_of(a)
    check_target("matmul", target, TARGETS)
    facts = [facts_of(array, f"matmul: {name}") for name, array in (("a", a), ("b", b), ("out", out))]
    left, right = (operand_of(name, fact) for name, fact in zip("ab", facts, strict=False))
    check_operands(*facts[:2])
    for name, fact in zip("ab", facts, strict=False):
        check_contiguous(name, fact)
    check_element(left.dtype, target, _elements(target))
    _check_result(facts[2], result_shape(facts[0].shape, facts[1].shape))
    check_activation(activation)
    if bias is not None:
        check_bias(bias, right.columns)
    operands = [
        operand_of(name, fact, devices.address_of(array) % 32)
        for name, fact, array in zip(("a", "b", "out"), facts, (a, b, out), strict=True)
    ]
    gemm = Gemm(*operands, bias is not None, activation or "none")
    if target in host_cdna.TARGETS:
        return host_cdna.prepare(gemm, target, plan)
    gpu = gpu_of(a)
    return host_nvidia.prepare(gemm, target, gpu and gpu.multiprocessors, plan, (a, b, out))
