"""GEMM of scaled matrices, C = activation(A x B + bias): microscaled matrices (MXFP8, MXFP4) with MFMAs of CDNA4, and
float8 with scales of blocks on Hopper (`host_block_scaled`)."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from ... import cdiv, devices
from ... import language as gl
from ...errors import LaunchError
from ...language.amd.cdna4 import get_mfma_scale_layout
from ...launch_cache import LaunchCache
from .._common.arrays import check_target, empty_like, facts_of, maker_of_empty, target_of
from .._common.cached_hash import cached_hash, canonical
from .._common.checks import check_plan, checked_shape
from .._common.explain import with_explain
from .._common.xcd_order import describe_order
from . import host_block_scaled
from .host_cdna import NEIGHBORS
from .interleaving_cdna import interleaving_of
from .kernel_scaled import scaled_direct_to_shared, scaled_pipelined_quadrants
from .kernel_scaled_interleaved import scaled_interleaved_quadrants
from .layouts_cdna import MatmulConfig, configure
from .operands import check_activation, check_bias
from .plan_cdna import COMPUTE_UNITS, CdnaPlan
from .tiles_cdna import Tile

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .plan_hopper import HopperPlan

TARGETS = ("gfx950", *host_block_scaled.TARGETS)

#: K extent of a k-tile in bytes: one cache line.
BLOCK_K = 128
#: `GROUP`: number of consecutive elements along K that share a scale. `BLOCK_ROWS`, `BLOCK_GROUPS`: size of a block of
#: shuffled scales, 32 rows and 8 groups (256 elements along K).
GROUP, BLOCK_ROWS, BLOCK_GROUPS = 32, 32, 8
#: Rows and columns of the largest tile. Scales are padded to multiples of this size, so kernels need no masks for
#: scales.
LARGEST = 256
#: Exponent byte that fills the padding of scales. This byte encodes the scale 2 ** 0 = 1.
ONE = 127

PIPELINED, SMALL = Tile(256, 256, 2, 4), Tile(128, 128, 2, 2)


class Format(NamedTuple):
    """Encoding of operands' elements, their dtype in kernels, and the number of elements per byte."""

    name: str
    stored: Any
    per_byte: int


#: Kernels, indexed by the variant of a plan.
KERNELS = {
    "plain": scaled_direct_to_shared,
    "quadrants": scaled_pipelined_quadrants,
    "interleaved": scaled_interleaved_quadrants,
}

#: Formats, indexed by NumPy's or PyTorch's name of the array's dtype.
FORMATS = {
    "float8_e4m3fn": Format("e4m3", gl.float8e4nv, 1),
    "float8_e5m2": Format("e5m2", gl.float8e5, 1),
    "uint8": Format("e2m1", gl.uint8, 2),
}


@cached_hash
@dataclass(frozen=True)
class ScaledConfig(MatmulConfig):
    """Compile-time parameters of a GEMM kernel with scales. A stored element is a byte, which holds one float8 or two
    float4. Along K, a k-tile has `block_k` stored elements, which hold `k_elements` elements."""

    k_elements: int
    load_scales_a: gl.DistributedLinearLayout
    load_scales_b: gl.DistributedLinearLayout
    scales_a: gl.DistributedLinearLayout
    scales_b: gl.DistributedLinearLayout


def shuffle_scales(scales: Any) -> Any:
    """Shuffles scales into the order in which lanes of CDNA4 load them, as `matmul_scaled` requires.

    Args:
        scales: [R, K / 32] of uint8 exponents s, for 2 ** (s - 127), or of float8_e8m0fnu; a NumPy array or a PyTorch
            tensor. Row r has the scales of row r of A, or of column r of B.

    Returns: uint8 of shape [R' / 32, K'], where R' and K' are R and K padded to multiples of 256. A block of 32 rows
        and 8 groups along K is 256 consecutive bytes: 4 for each of 64 lanes. Lane r + 32 h holds the scales of groups
        h, 2 + h, 4 + h and 6 + h of row r. Padding has the value 127, which encodes the scale 1.

    Example:
        >>> scales = np.arange(32 * 8, dtype=np.uint8).reshape(32, 8)
        >>> shuffle_scales(scales).shape
        (8, 256)
        >>> shuffle_scales(scales)[0, :8]
        array([ 0,  2,  4,  6,  8, 10, 12, 14], dtype=uint8)
    """
    facts = facts_of(scales, "shuffle_scales: scales")
    if len(facts.shape) != 2 or 0 in facts.shape:
        raise LaunchError(f"shuffle_scales: scales must be a matrix, but their shape is {list(facts.shape)}")
    if facts.dtype not in ("uint8", "float8_e8m0fnu"):
        raise LaunchError(f"shuffle_scales: scales must be uint8 or float8_e8m0fnu, not {facts.dtype}")
    rows, groups = scales.shape
    padded = empty_like(scales, padded_shape(rows, groups), "uint8")
    padded[...] = ONE
    padded[:rows, :groups] = scales.view(padded.dtype)
    blocks = padded.reshape(-1, BLOCK_ROWS, padded.shape[1] // BLOCK_GROUPS, BLOCK_GROUPS // 2, 2)
    order = (0, 2, 4, 1, 3)
    shuffled = blocks.permute(*order) if hasattr(blocks, "permute") else blocks.transpose(order)
    return shuffled.reshape(padded.shape[0] // BLOCK_ROWS, -1)


def padded_shape(rows: int, groups: int) -> tuple[int, int]:
    """Returns the numbers of rows and groups of scales including the padding."""
    return cdiv(rows, LARGEST) * LARGEST, cdiv(groups, BLOCK_GROUPS) * BLOCK_GROUPS


def load_layout(scales: gl.DistributedLinearLayout) -> gl.DistributedLinearLayout:
    """Returns the layout in which shuffled scales, [rows / 32, 64 lanes, bytes per lane], are loaded. The conversion
    from this layout to the layout `scales` moves no data between lanes or registers."""

    def place(basis: Sequence[int]) -> list[int]:
        row, group = basis
        return [row // BLOCK_ROWS, row % BLOCK_ROWS + group % 2 * BLOCK_ROWS, group // 2]

    rows, groups = scales.shape
    registers, lanes, warps = (
        [place(basis) for basis in bases] for bases in (scales.reg_bases, scales.lane_bases, scales.warp_bases)
    )
    return gl.DistributedLinearLayout(registers, lanes, warps, [], [rows // BLOCK_ROWS, 2 * BLOCK_ROWS, groups // 2])


def choose_scaled_plan(m: int, n: int, k: int, elements: Format, target: str) -> CdnaPlan:
    """Returns the plan with the larger of two tiles and a warp pipeline if its tiles occupy at least half of the
    compute units and K has at least four k-tiles. Otherwise, returns the plan with the smaller tile."""
    k_elements = BLOCK_K * elements.per_byte
    tiles, units = cdiv(m, PIPELINED.m) * cdiv(n, PIPELINED.n), COMPUTE_UNITS[target].count
    order = describe_order(devices.properties(target).cache_dies, NEIGHBORS)
    scales = (
        f"a lane loads the scales of a row for {k_elements} elements along K at once: {k_elements // 64} shuffled bytes"
    )
    if 2 * tiles >= units and cdiv(k, k_elements) >= 4:
        reasons = (
            f"{tiles} tiles of {PIPELINED} keep half of {units} compute units or more busy",
            "warp pipeline: four warps load while the other four multiply a quadrant of the tile",
        )
        return CdnaPlan(PIPELINED, BLOCK_K, True, 2, True, (*reasons, scales, order))
    tile = "tiles of 256 x 256 would " + (
        "be too few for half of the GPU" if 2 * tiles < units else "need four k-tiles for a warp pipeline"
    )
    return CdnaPlan(
        SMALL, BLOCK_K, True, 2, False, (tile, "all warps load and multiply at the same time", scales, order)
    )


def configure_scaled(plan: CdnaPlan, target: str, elements: Format, k: int, **epilogue: Any) -> ScaledConfig:
    """Returns the compile-time parameters of the kernel for `plan`. `k`: number of stored elements along K."""
    lds_bytes = devices.properties(target).max_shared_bytes
    config = configure(plan, target, elements.stored, lds_bytes, k, True, True, **epilogue)
    k_elements = plan.block_k * elements.per_byte
    operands = (config.operand_a, config.part_m), (config.operand_b, config.part_n)
    taken_a, taken_b = (get_mfma_scale_layout(operand, [size, k_elements // GROUP]) for operand, size in operands)
    fields = {field.name: getattr(config, field.name) for field in dataclasses.fields(config)}
    fields["wide_format"] = elements.name
    if plan.is_interleaved:
        shapes = [config.part_m, plan.block_k], [plan.block_k, config.part_n]
        loads = config.part_m // (plan.tile.warps_m * BLOCK_ROWS), config.part_n // (plan.tile.warps_n * BLOCK_ROWS)
        fields["interleaving"] = interleaving_of(config.acc, shapes, 8, True, (True, True), k_elements, loads)
    return canonical(
        ScaledConfig(
            **fields,
            k_elements=k_elements,
            load_scales_a=load_layout(taken_a),
            load_scales_b=load_layout(taken_b),
            scales_a=taken_a,
            scales_b=taken_b,
        )
    )


def explain(shape: Sequence[int], dtype: str, target: str = "gfx950") -> str:
    """Returns sentences that describe how `matmul_scaled` computes an M x K times K x N GEMM.

    Args:
        shape: (M, N, K), with K in elements.
        dtype: "float8_e4m3fn", "float8_e5m2", or, on gfx950, "uint8" for two float4 (e2m1) per byte.
        target: "gfx950" or "sm_90a".
    """
    check_target("matmul_scaled", target, TARGETS)
    m, n, k = checked_shape("matmul_scaled", shape, "(M, N, K)")
    if target in host_block_scaled.TARGETS:
        plan: CdnaPlan | HopperPlan = host_block_scaled.explained_plan(m, n, k, dtype)
    else:
        plan = choose_scaled_plan(m, n, k, format_of(dtype), target)
    head = f"{target}, {m} x {k} times {k} x {n} {format_of(dtype).name}: tile {plan.tile}"
    return "\n".join([head, *(f"- {reason}" for reason in plan.reasons)])


def format_of(dtype: str) -> Format:
    """Returns the Format of operands of a dtype. Raises a LaunchError for unsupported dtypes."""
    if not isinstance(dtype, str) or dtype not in FORMATS:
        raise LaunchError(
            f"matmul_scaled multiplies {', '.join(FORMATS)}, not {dtype}\n  hint: uint8 holds two float4 (e2m1), "
            "the first in the low half"
        )
    return FORMATS[dtype]


@with_explain(explain)
def matmul_scaled(
    a: Any,
    a_scales: Any,
    b: Any,
    b_scales: Any,
    out: Any = None,
    *,
    bias: Any = None,
    activation: str | None = None,
    out_dtype: str = "bfloat16",
    plan: CdnaPlan | HopperPlan | None = None,
) -> Any:
    """Returns activation((A * scales of A) x (B * scales of B) + bias), float32 accumulation: MXFP8 and MXFP4 on
    gfx950, float8 with scales of blocks on sm_90a.

    Args:
        a: [M, K], a NumPy array or a PyTorch tensor of float8_e4m3fn or float8_e5m2; on gfx950 also [M, K / 2] of
            uint8, each of which holds two float4 (e2m1) that are neighbors along K, the first in the low half.
            Contiguous along K.
        a_scales: on gfx950, exponents of A's scales, one per 32 consecutive elements along K: [M, K / 32], after
            `shuffle_scales`. On sm_90a, [M, K / 128] of float32 with any strides: a scale per 128 consecutive elements
            along K, as `rowwise.rms_norm_quantized(.., group=128)` returns.
        b: [K, N], or [K / 2, N], of the same dtype, contiguous along K: the transpose of a row-major matrix.
        b_scales: on gfx950, exponents of B's scales, [N, K / 32], after `shuffle_scales`. On sm_90a, [ceil(N / 128),
            K / 128] of float32 with any strides: a scale per 128 columns and 128 elements along K of B.
        out: [M, N] to write the result to; a new array if None.
        bias: [N] of float32, float16 or bfloat16: one number per column.
        activation: None, "relu", "gelu_tanh" or "silu".
        out_dtype: dtype of a new `out`, by NumPy's name. On sm_90a "bfloat16", "float16" or "float32".
        plan: a plan to use instead of the cost model's choice: a `CdnaPlan`, or on sm_90a a `HopperPlan` without
            ping-pong whose warpgroups have at most 64 x 128 results.

    Returns: `out`.
    Raises: LaunchError for arrays whose shapes, strides or alignment the kernel does not support, for other dtypes, and
    for other targets. On sm_90a, K must be a multiple of 128.

    The formats on gfx950 are those of the OCP Microscaling specification, version 1.0. On sm_90a the sums of each 128
    elements along K are multiplied by both scales and added to float32 totals, as in DeepSeek-V3 (arXiv 2412.19437,
    section 3.3).

    Example:
        >>> a = np.ones((128, 256), ml_dtypes.float8_e4m3fn)
        >>> twos = shuffle_scales(np.full((128, 8), 128, np.uint8))
        >>> matmul_scaled(a, twos, a.T, twos, out_dtype="float32")[0, 0]
        1024.0
    """
    arrays = a, a_scales, b, b_scales, out, bias
    return _launches.find(arrays, (activation, out_dtype, plan))(*arrays)


def _prepare(
    a: Any,
    a_scales: Any,
    b: Any,
    b_scales: Any,
    out: Any,
    bias: Any,
    activation: str | None,
    out_dtype: str,
    plan: CdnaPlan | HopperPlan | None,
) -> Callable[[Any, Any, Any, Any, Any, Any], Any]:
    """Checks the arguments, chooses a plan, and returns a function `(a, a_scales, b, b_scales, out, bias)` that
    launches the kernel and returns the result."""
    target = target_of(a)
    check_target("matmul_scaled", target, TARGETS)
    if target in host_block_scaled.TARGETS:
        arrays = a, a_scales, b, b_scales, out, bias
        return host_block_scaled.prepare_block_scaled(*arrays, activation, out_dtype, plan)
    facts = facts_of(a, "matmul_scaled: a"), facts_of(b, "matmul_scaled: b")
    elements = format_of(facts[0].dtype)
    check_arrays(facts, [(name, array) for name, array in (("a", a), ("b", b))])
    (m, k), (_, n) = facts[0].shape, facts[1].shape
    check_scales("a", a_scales, m, k * elements.per_byte)
    check_scales("b", b_scales, n, k * elements.per_byte)
    check_activation(activation)
    check_plan("matmul_scaled", plan, CdnaPlan)
    if bias is not None:
        check_bias(bias, n)
    new_result = maker_of_empty(a, (m, n), out_dtype) if out is None else None
    result = facts_of(out if new_result is None else new_result(a), "matmul_scaled: out")
    if result.shape != (m, n):
        raise LaunchError(f"matmul_scaled: out must be {m} x {n}, but its shape is {list(result.shape)}")
    plan = plan or choose_scaled_plan(m, n, k * elements.per_byte, elements, target)
    if plan.variant not in KERNELS or not plan.is_direct:
        raise LaunchError(
            "matmul_scaled: a plan must copy straight into LDS, and its warp pipeline must have two stages, for "
            "quadrants"
        )
    if plan.is_in_quadrants and cdiv(k, plan.block_k) < plan.stages:
        raise LaunchError(
            f"matmul_scaled: {'an interleaved kernel' if plan.is_interleaved else 'a warp pipeline'} needs at least "
            f"{plan.stages} k-tiles, of {plan.block_k} bytes along K each"
        )
    config = configure_scaled(plan, target, elements, k, has_bias=bias is not None, activation=activation or "none")
    strides = facts[0].strides, facts[1].strides, result.strides
    launch = KERNELS[plan.variant][(cdiv(m, plan.tile.m) * cdiv(n, plan.tile.n),)]
    num_warps = plan.tile.num_warps

    def run(a: Any, a_scales: Any, b: Any, b_scales: Any, out: Any, bias: Any) -> Any:
        if new_result is not None:
            out = new_result(a)
        launch(a, b, out, bias, a_scales, b_scales, *strides, m, n, k, cfg=config, num_warps=num_warps)
        return out

    return run


_launches = LaunchCache(_prepare)


def check_arrays(facts: Sequence[Any], arrays: Sequence[tuple[str, Any]]) -> None:
    """Raises a LaunchError unless shapes and dtypes of the operands match, and a lane can load 16 bytes of an operand
    at once."""
    a, b = facts
    for (name, array), fact in zip(arrays, facts, strict=True):
        if len(fact.shape) != 2 or 0 in fact.shape:
            raise LaunchError(f"matmul_scaled: {name} must be a matrix, but its shape is {list(fact.shape)}")
        along_k, other = (1, 0) if name == "a" else (0, 1)
        if fact.strides[along_k] != 1 or fact.strides[other] % 16 or fact.shape[along_k] % 16:
            raise LaunchError(
                f"matmul_scaled: {name} must be contiguous along K, in rows whose length and distance are multiples of "
                f"16 bytes, but its shape is {list(fact.shape)} and its strides are {list(fact.strides)}"
            )
        if devices.address_of(array) % 16:
            raise LaunchError(f"matmul_scaled: the address of {name} must be a multiple of 16 bytes")
    if a.dtype != b.dtype:
        raise LaunchError(f"matmul_scaled: a is {a.dtype} and b is {b.dtype}; they must be of one dtype")
    if a.shape[1] != b.shape[0]:
        raise LaunchError(
            f"matmul_scaled: a is {a.shape[0]} x {a.shape[1]} and b is {b.shape[0]} x {b.shape[1]}; the inner sizes "
            "must be equal"
        )


def check_scales(name: str, scales: Any, rows: int, k: int) -> None:
    """Raises a LaunchError unless `scales` are shuffled scales of a matrix of `rows` x `k` elements."""
    facts = facts_of(scales, f"matmul_scaled: {name}_scales")
    if k % GROUP:
        raise LaunchError(f"matmul_scaled: {k} elements along K are not a multiple of {GROUP}, which share a scale")
    padded_rows, groups = padded_shape(rows, k // GROUP)
    wanted = padded_rows // BLOCK_ROWS, groups * BLOCK_ROWS
    if facts.shape != wanted or facts.dtype != "uint8" or facts.strides != (wanted[1], 1):
        raise LaunchError(
            f"matmul_scaled: {name}_scales must be uint8 of shape {list(wanted)}, contiguous, but they are "
            f"{facts.dtype} of shape {list(facts.shape)}\n  hint: pass shuffle_scales(scales) of scales of shape "
            f"{[rows, k // GROUP]}"
        )
