"""Host side of the GEMM on Hopper with float32 scales of blocks, for `matmul_scaled` on sm_90a."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from ... import cdiv, devices
from ...errors import LaunchError
from .._common.arrays import ArrayFacts, empty_like, facts_of, gpu_of, maker_of_empty
from .._common.checks import check_plan
from .._common.work_counter import counters_for
from .arrays_hopper import Arrangement, arrange
from .host import matmul
from .host_nvidia import MULTIPROCESSORS, check_splits, configure, operand_forms, result_form, shared_bytes
from .kernel_block_scaled_hopper import matmul_block_scaled
from .operands import Gemm, check_activation, check_bias, operand_of
from .plan_block_scaled import BLOCK, choose_block_scaled_plan, obstacle_of
from .plan_hopper import HopperPlan, HopperTile, choose_hopper_plan, copy_clocks

if TYPE_CHECKING:
    from collections.abc import Callable

TARGETS = ("sm_90a",)
ELEMENTS = ("float8_e4m3fn", "float8_e5m2")
RESULTS = ("bfloat16", "float16", "float32")


def fail(message: str) -> LaunchError:
    return LaunchError(f"matmul_scaled: {message}")


def check_element(dtype: Any) -> None:
    """Raises a LaunchError unless the kernel multiplies elements of `dtype`."""
    if not isinstance(dtype, str) or dtype not in ELEMENTS:
        raise fail(f"sm_90a multiplies {' and '.join(ELEMENTS)}, not {dtype}")


def check_block_scales(name: str, scales: Any, shape: tuple[int, int], of_one: str) -> None:
    """Raises a LaunchError unless `scales` are float32 of a shape. `of_one`: the elements that share a scale."""
    facts = facts_of(scales, f"matmul_scaled: {name}")
    if facts.shape != shape or facts.dtype != "float32":
        raise fail(
            f"{name} must be float32 of shape {list(shape)}, one scale per {of_one}, but they are {facts.dtype} of "
            f"shape {list(facts.shape)}"
        )
    if any(stride < 0 for stride in facts.strides):
        raise fail(f"{name} have a negative stride: their strides are {list(facts.strides)}; copy them")


def check_k(k: int) -> None:
    if k % BLOCK:
        raise fail(
            f"{k} elements along K are not a multiple of {BLOCK}, which share a scale\n  hint: pad K of a and b with "
            "zeros"
        )


def check_arrays(a: ArrayFacts, b: ArrayFacts, a_scales: Any, b_scales: Any) -> None:
    """Raises a LaunchError unless operands and scales match."""
    for name, facts in (("a", a), ("b", b)):
        if len(facts.shape) != 2:
            raise fail(f"{name} must be a matrix, but its shape is {list(facts.shape)}")
        check_element(facts.dtype)
        if any(stride < 0 for stride in facts.strides):
            raise fail(f"{name} has a negative stride: its strides are {list(facts.strides)}; copy {name}")
    (m, k), n = a.shape, b.shape[1]
    if a.dtype != b.dtype:
        raise fail(f"a is {a.dtype} and b is {b.dtype}; they must be of one dtype")
    if k != b.shape[0]:
        raise fail(f"a is {m} x {k} and b is {b.shape[0]} x {n}; the inner sizes must be equal")
    check_k(k)
    check_block_scales("a_scales", a_scales, (m, k // BLOCK), f"{BLOCK} elements of a row of a")
    check_block_scales("b_scales", b_scales, (cdiv(n, BLOCK), k // BLOCK), f"{BLOCK} x {BLOCK} elements of b")


def plan_of_arranged(arrangement: Arrangement, multiprocessors: int) -> HopperPlan:
    """Returns the plan that the cost model chooses."""
    gemm = arrangement.gemm
    m, n, k = gemm.sizes
    limits = shared_bytes("sm_90a"), multiprocessors

    def plan(tile: HopperTile) -> HopperPlan:
        bits = gemm.a.element_bits, gemm.out.element_bits
        return choose_hopper_plan(m, n, k, 1, *bits, *limits, tile, gemm.activation)

    chosen = choose_block_scaled_plan(plan)
    copying = copy_clocks([copy.bytes for copy in arrangement.copies], multiprocessors)
    return dataclasses.replace(
        chosen, clocks=chosen.clocks + copying, reasons=(*chosen.reasons, *arrangement.reasons)
    )  # fmt: skip


def explained_plan(m: int, n: int, k: int, dtype: str) -> HopperPlan:
    """Returns the plan of a GEMM of contiguous arrays, a by rows and b by columns, with a bfloat16 result."""
    check_element(dtype)
    check_k(k)
    a = operand_of("a", ArrayFacts((m, k), (k, 1), dtype, 8))
    b = operand_of("b", ArrayFacts((k, n), (1, k), dtype, 8))
    out = operand_of("out", ArrayFacts((m, n), (n, 1), "bfloat16", 16))
    return plan_of_arranged(arrange(Gemm(a, b, out, False, "none"), is_transposed=False), MULTIPROCESSORS["sm_90a"])


def checked_plan(plan: HopperPlan | None, arrangement: Arrangement, array: Any) -> HopperPlan:
    """Returns `plan`, or the cost model's choice on the GPU of `array`."""
    check_plan("matmul_scaled", plan, HopperPlan)
    if plan is None:
        gpu = gpu_of(array)
        return plan_of_arranged(arrangement, (gpu and gpu.multiprocessors) or MULTIPROCESSORS["sm_90a"])
    if obstacle := obstacle_of(plan):
        raise fail(f"`plan` does not fit scales of blocks: {obstacle}\n  hint: leave out `plan`")
    check_splits(plan, arrangement.gemm, "matmul_scaled")
    return plan


def prepare_block_scaled(
    a: Any,
    a_scales: Any,
    b: Any,
    b_scales: Any,
    out: Any,
    bias: Any,
    activation: str | None,
    out_dtype: str,
    plan: HopperPlan | None,
) -> Callable[..., Any]:
    """Checks the arguments, and returns a function `(a, a_scales, b, b_scales, out, bias)` that launches the kernel and
    returns the result."""
    left, right = facts_of(a, "matmul_scaled: a"), facts_of(b, "matmul_scaled: b")
    check_arrays(left, right, a_scales, b_scales)
    check_activation(activation)
    (m, k), n = left.shape, right.shape[1]
    if bias is not None:
        check_bias(bias, n)
    if out is None and out_dtype not in RESULTS:
        raise fail(f"out_dtype is one of {', '.join(RESULTS)}, not {out_dtype!r}")
    new_result = maker_of_empty(a, (m, n), out_dtype) if out is None else None
    example = out if new_result is None else new_result(a)
    result = facts_of(example, "matmul_scaled: out")
    if result.shape != (m, n):
        raise fail(f"out must be {m} x {n}, but its shape is {list(result.shape)}")
    if result.dtype not in RESULTS:
        raise fail(f"elements of the result are {', '.join(RESULTS)}, not {result.dtype}")
    if any(stride < 0 for stride in result.strides):
        raise fail(f"out has a negative stride: its strides are {list(result.strides)}; copy out")
    if 0 in (m, n, k):
        launch = _without_elements(activation)
    else:
        facts = zip(("a", "b", "out"), (left, right, result), (a, b, example), strict=True)
        operands = [operand_of(name, fact, devices.address_of(array) % 16) for name, fact, array in facts]
        gemm = Gemm(*operands, bias is not None, activation or "none")
        strides = tuple(facts_of(scales, "scales").strides for scales in (a_scales, b_scales))
        launch = _prepare_launch(gemm, (a, b, example), strides, plan)

    def run(a: Any, a_scales: Any, b: Any, b_scales: Any, out: Any, bias: Any) -> Any:
        if new_result is not None:
            out = new_result(a)
        launch(a, a_scales, b, b_scales, out, bias)
        return out

    return run


def _without_elements(activation: str | None) -> Callable[..., None]:
    """Returns the launch for operands without elements: with K = 0, the result is the activation of the bias."""

    def launch(a: Any, a_scales: Any, b: Any, b_scales: Any, out: Any, bias: Any) -> None:
        matmul(a, b, out, bias=bias, activation=activation)

    return launch


def _prepare_launch(gemm: Gemm, arrays: Any, scale_strides: Any, plan: HopperPlan | None) -> Callable[..., None]:
    arrangement = arrange(gemm, is_transposed=False)
    gemm = arrangement.gemm
    plan = checked_plan(plan, arrangement, arrays[0])
    config = configure(plan, gemm, arrangement.stores_by_lanes)
    *operands, out = arrays
    a_form, b_form = operand_forms(*arrangement.operands(*operands), gemm, config)
    out_form = None if arrangement.stores_by_lanes else result_form(out, gemm, config)
    kernel = matmul_block_scaled[(plan.blocks,)]
    m, n, k = gemm.sizes
    partial_sums = cdiv(m, plan.tile.m) * cdiv(n, plan.tile.n) * plan.splits, plan.tile.m * plan.tile.n
    c_strides = (0, gemm.out.row_stride, gemm.out.column_stride) if out_form is None else None
    operands_of = arrangement.operands

    def launch(a: Any, a_scales: Any, b: Any, b_scales: Any, out: Any, bias: Any) -> None:
        a, b = operands_of(a, b)
        c = out if out_form is None else out_form.on(out)
        workspace = (None, None)
        if plan.splits > 1:
            workspace = empty_like(a, partial_sums, "float32"), counters_for(a)
        kernel(
            a_form.on(a), b_form.on(b), c, bias, a_scales, b_scales, *scale_strides, m, n, k, config, *workspace,
            plan.splits, c_strides, num_warps=4,
        )  # fmt: skip

    return launch


__all__ = ["TARGETS", "explained_plan", "prepare_block_scaled"]
