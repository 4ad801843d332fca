"""Attention backward: checks of arguments, and the host side of the kernels on Hopper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ... import cdiv
from ... import language as gl
from ...errors import LaunchError
from ...launch_cache import LaunchCache
from ...nvidia.hopper import DescriptorForm, TensorDescriptor
from .._common.arrays import ArrayFacts, check_target, empty_like, facts_of, gpu_of, maker_of_empty, target_of
from .._common.cached_hash import canonical
from .._common.checks import check_flags, given_scale
from .._common.work_counter import counters_for
from .backward_hopper import HopperBackwardConfig, attention_backward_hopper
from .backward_rows import finish_dq, prepare_rows
from .host_nvidia import MULTIPROCESSORS, descriptor_form
from .operands import LOG2_E, Attention, check_attention, checked_window

if TYPE_CHECKING:
    from collections.abc import Callable

TARGETS = ("sm_90a",)


class BlockSizes(NamedTuple):
    """Sizes of blocks and rings for a head size."""

    #: Number of queries in a block.
    block_m: int
    #: Numbers of stages of the ring buffers of Q and dO, of dS, and of dQ.
    stages: int
    ds_stages: int
    dq_stages: int


#: Number of keys in a tile: 64 for each of two consumer warpgroups.
BLOCK_N = 128
#: Sizes, indexed by the head size D. They are limited by the registers of the two consumer warpgroups, which hold dK
#: and dV, and by shared memory.
BLOCKS = {64: BlockSizes(128, 2, 1, 1), 128: BlockSizes(64, 2, 1, 1)}


class Backward(NamedTuple):
    """Properties of the arrays of one call of `attention_backward`."""

    forward: Attention
    do: ArrayFacts
    lse: ArrayFacts
    dlse: ArrayFacts | None


def configure(head_size: int, causal: bool, is_varlen: bool = False, has_window: bool = False) -> HopperBackwardConfig:
    """Returns the compile-time parameters of the backward kernel."""
    blocks = BLOCKS[head_size]
    acc = gl.NVMMADistributedLayout([3, 0], [8, 1], [16, head_size, 16])
    # With 64 queries in a block, each warpgroup computes one half of the columns of dQ, otherwise one half of the rows.
    dq_warps, dq_columns = ([4, 2], head_size // 2) if blocks.block_m == 64 else ([8, 1], head_size)
    return canonical(
        HopperBackwardConfig(
            block_n=BLOCK_N,
            head_size=head_size,
            is_causal=causal,
            is_varlen=is_varlen,
            has_window=has_window,
            scores=gl.NVMMADistributedLayout([3, 0], [8, 1], [16, blocks.block_m, 16]),
            acc=acc,
            operand=gl.DotOperandLayout(0, acc, k_width=2),
            dq=gl.NVMMADistributedLayout([3, 0], dq_warps, [16, dq_columns, 16]),
            **blocks._asdict(),
        )
    )


def _check(backward: Backward) -> None:
    """Raises a LaunchError if dtypes or shapes of the arrays do not match."""
    check_attention(backward.forward, "attention_backward")
    q, out = backward.forward.q, backward.forward.out
    for name, array in (("do", backward.do), ("out", out)):
        if (array.shape, array.dtype) != (q.shape, q.dtype):
            raise LaunchError(
                f"attention_backward: {name} must have the shape and dtype of q, {list(q.shape)} of {q.dtype}, not "
                f"{list(array.shape)} of {array.dtype}"
            )
        if array.strides[3] != 1:
            raise LaunchError(
                f"attention_backward: the elements of a row of {name} must be contiguous, but the strides are "
                f"{list(array.strides)}\n  hint: pass a contiguous copy"
            )
    for name, array in (("lse", backward.lse), ("dlse", backward.dlse)):
        if array is not None and (array.shape, array.dtype) != (q.shape[:3], "float32"):
            hint = "\n  hint: attention(..., return_lse=True) returns lse" if name == "lse" else ""
            raise LaunchError(
                f"attention_backward: {name} must be {list(q.shape[:3])} of float32, not {list(array.shape)} of "
                f"{array.dtype}{hint}"
            )


def workspace_form(like: Any, shape: tuple[int, ...], block: list[int]) -> DescriptorForm:
    """Returns the DescriptorForm of a contiguous float32 array of the given shape, on the device of `like`."""
    # Vectors of one value per query are not swizzled.
    layout = (
        gl.NVMMASharedLayout(0, 32, 2) if len(shape) == 2 else gl.NVMMASharedLayout.get_default_for(block, gl.float32)
    )
    return DescriptorForm(TensorDescriptor.from_tensor(empty_like(like, shape, "float32"), block, layout))


def _prepare_launch(
    backward: Backward, multiprocessors: int, arrays: tuple[Any, ...]
) -> Callable[..., tuple[Any, Any, Any]]:
    """Returns a function `(q, do, k, v, out, lse, dlse, scale)` that computes the gradients of arrays with the shapes,
    strides and dtypes in `backward`. `arrays`: an example of do, q, k, v. A scale of None is the default."""
    q, k, v, out, causal, _, window = backward.forward
    batch, heads, queries, size = q.shape
    key_heads, keys = k.shape[1:3]
    cfg = configure(size, causal, has_window=window is not None)
    row_blocks, key_blocks = cdiv(queries, cfg.block_m), cdiv(keys, cfg.block_n)
    tiles = batch * key_heads * key_blocks
    rows_shape, sums_shape = (batch * heads, row_blocks * cfg.block_m), (batch * heads, queries, size)
    facts = backward.do, q, k, v
    rows = cfg.block_m, cfg.block_m, cfg.block_n, cfg.block_n
    forms = [
        descriptor_form("attention_backward", name, array, fact, count)
        for name, array, fact, count in zip(("do", "q", "k", "v"), arrays, facts, rows, strict=True)
    ]
    # dK and dV are contiguous.
    gradient = k._replace(strides=(key_heads * keys * size, keys * size, size, 1))
    gradient_form = descriptor_form("attention_backward", "dk", arrays[2], gradient, cfg.block_n)
    row_form = workspace_form(arrays[1], rows_shape, [1, cfg.block_m])
    sums_form = workspace_form(arrays[1], sums_shape, [1, cfg.block_m, size])
    do_form, q_form, k_form, v_form = forms
    sizes = key_heads, heads // key_heads, queries, keys, row_blocks, key_blocks, tiles
    blocks_of_rows = (batch * heads * row_blocks,)
    new_rows, new_sums = (maker_of_empty(arrays[1], shape, "float32") for shape in (rows_shape, sums_shape))
    new_added = maker_of_empty(arrays[1], blocks_of_rows, "int32")
    new_dq = maker_of_empty(arrays[1], q.shape, q.dtype)
    new_gradient = maker_of_empty(arrays[1], (batch, key_heads, keys, size), q.dtype)
    strides = [
        fact.strides[:3] if fact is not None else None for fact in (backward.do, out, backward.lse, backward.dlse)
    ]
    dq_strides = heads * queries * size, queries * size, size
    options = {"ROWS": cfg.block_m, "SIZE": size, "num_warps": 4}
    launch = attention_backward_hopper[(min(tiles, multiprocessors),)]
    launch_before, launch_after = prepare_rows[blocks_of_rows], finish_dq[blocks_of_rows]

    def run(
        q: Any, do: Any, k: Any, v: Any, out: Any, lse: Any, dlse: Any, scale: float | None
    ) -> tuple[Any, Any, Any]:
        scale = size**-0.5 if scale is None else scale
        lse2, delta, sums, added = new_rows(q), new_rows(q), new_sums(q), new_added(q)
        dq, dk, dv = new_dq(q), new_gradient(q), new_gradient(q)
        launch_before(do, out, lse, dlse, lse2, delta, added, *strides, heads, queries, row_blocks, None, **options)
        launch(
            q_form.on(q), k_form.on(k), v_form.on(v), do_form.on(do), row_form.on(lse2), row_form.on(delta),
            sums_form.on(sums), gradient_form.on(dk), gradient_form.on(dv), added, counters_for(q), sizes, scale,
            scale * LOG2_E, cfg=cfg, window=window, num_warps=8,
        )  # fmt: skip
        launch_after(sums, added, dq, dq_strides, scale, heads, queries, row_blocks, None, **options)
        return dq, dk, dv

    return run


def attention_backward(
    do: Any,
    q: Any,
    k: Any,
    v: Any,
    out: Any,
    lse: Any,
    dlse: Any = None,
    *,
    causal: bool = False,
    window: tuple[int | None, int | None] | None = None,
    scale: float | None = None,
    score_mod: Any = None,
    mask_mod: Any = None,
) -> tuple[Any, Any, Any]:
    """Returns the gradients (dq, dk, dv) of `out, lse = attention(q, k, v, return_lse=True)`. The order of all
    additions is fixed, so the gradients have the same bits in each run.

    Args:
        do: gradient of `out`, of the shape and dtype of q.
        q, k, v, causal, window, scale: as in `attention`.
        out, lse: the results of `attention`.
        dlse: gradient of `lse`, a float32 array of its shape; None if only `out` is differentiated.
        score_mod, mask_mod: must be None. `attention` with functions for scores and masks has no gradients.
    Returns: new contiguous arrays with the shapes and the dtype of q, k and v.
    Raises: LaunchError for shapes that do not match, for unsupported dtypes and head sizes, for functions for scores
    and masks, and for targets without a kernel.
    """
    arrays = q, do, k, v, out, lse, dlse
    settings = causal, score_mod, mask_mod, checked_window("attention_backward", window, causal)
    return _launches.find(arrays, settings)(*arrays, given_scale("attention_backward", scale))


def _prepare(
    q: Any,
    do: Any,
    k: Any,
    v: Any,
    out: Any,
    lse: Any,
    dlse: Any,
    causal: bool,
    score_mod: Any,
    mask_mod: Any,
    window: tuple[int, int] | None,
) -> Callable[..., tuple[Any, Any, Any]]:
    """Checks the arguments, and returns the function of `_prepare_launch`."""
    target = target_of(q)
    check_target("attention_backward", target, TARGETS)
    check_flags("attention_backward", causal=causal)
    for name, function in (("score_mod", score_mod), ("mask_mod", mask_mod)):
        if function is not None:
            raise LaunchError(
                f"attention_backward has no gradients of attention with {name}\n  hint: differentiate such attention "
                "with torch.nn.attention.flex_attention"
            )
    named = {"do": do, "q": q, "k": k, "v": v, "out": out, "lse": lse, "dlse": dlse}
    facts = {name: facts_of(array, f"attention_backward: {name}") for name, array in named.items() if array is not None}
    inputs = (facts[name] for name in ("q", "k", "v", "out"))
    forward = Attention(*inputs, bool(causal) and window is None, window=window)
    backward = Backward(forward, facts["do"], facts["lse"], facts.get("dlse"))
    _check(backward)
    gpu = gpu_of(q)
    return _prepare_launch(backward, MULTIPROCESSORS if gpu is None else gpu.multiprocessors, (do, q, k, v))


_launches = LaunchCache(_prepare)
