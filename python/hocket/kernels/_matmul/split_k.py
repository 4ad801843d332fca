"""Split-K GEMM: several CTAs share the K dimension of a tile, and a second kernel adds up their partial sums.

Split-K is used for few tiles and large K. Each CTA writes its float32 partial sums to a workspace. The second kernel
adds them in the order of k, so results are the same in every run. Results with and without split-K differ by rounding
errors.

    kernel           blocks                            warps of a block
    the GEMM         one per tile of C and split       as in `kernel_cdna`; stores partial sums instead of C
    `add_splits`     one per 16 x 256 elements of C    4, all with the same role, without barriers and shared memory

    add_splits       load split 0 | load and add split 1 | ... | bias, activation, store C
"""

from __future__ import annotations

from dataclasses import dataclass

from ... import cdiv, jit
from ... import language as gl
from .._common.cached_hash import cached_hash
from .._epilogue.function import Epilogue, Extent
from .._epilogue.outputs_cdna import CdnaOutput, store_outputs
from .activation import activate, bias_of

#: Numbers of splits that the planner compares.
SPLITS = (1, 2, 4, 8, 16)

#: Clocks of the launch of the second kernel, which does not overlap with the first kernel: about 5 us (estimated).
SECOND_LAUNCH_CLOCKS = 10_000

#: Tile of the second kernel, `add_splits`. A warp reads 1 KiB of each of four rows.
ROWS, COLUMNS, WARPS = 16, 256, 4
LAYOUT = gl.BlockedLayout([1, 4], [1, 64], [WARPS, 1], [1, 0])

#: Layout of this tile for functions of the user: a lane holds the two blocks of 8 columns that `gl.split` separates.
LAYOUT_OF_FUNCTIONS = gl.BlockedLayout([1, 16], [4, 16], [WARPS, 1], [1, 0])


def split_extent(k: int, block_k: int, splits: int) -> int:
    """Returns the K extent of each split except the last, a multiple of `block_k`."""
    return cdiv(cdiv(k, block_k), splits) * block_k


def are_all_busy(k: int, block_k: int, splits: int) -> bool:
    """Returns True if each of the `splits` splits of K has at least one element."""
    return (splits - 1) * split_extent(k, block_k, splits) < k


def adding_clocks(results: int, splits: int, bytes_per_clock: float) -> float:
    """Returns the clocks to write, read and add up the partial sums of `results` elements."""
    return 0 if splits == 1 else SECOND_LAUNCH_CLOCKS + 2 * 4 * splits * results / bytes_per_clock


@cached_hash
@dataclass(frozen=True)
class AddingConfig:
    """Compile-time parameters of the second kernel, `add_splits`."""

    splits: int
    has_bias: bool
    activation: str
    rows: int = ROWS
    columns: int = COLUMNS
    layout: gl.BlockedLayout = LAYOUT
    #: With a function of the user: as in `MatmulConfig`.
    outputs: tuple[CdnaOutput, ...] = ()
    is_transposed: bool = False
    clamped_rows: int = 0
    clamped_columns: int = 0


@jit
def add_splits(
    sums, c, bias, c_strides, batch_strides, M, N, cfg: gl.constexpr, epilogue_args=(), EPILOGUE: gl.constexpr = None
):  # fmt: skip
    """The second kernel of split-K: computes C = activation(sum over the splits + bias), or the outputs of a function.
    `sums` is [splits, batch, M, N]."""
    matrix = gl.program_id(2).to(gl.int64)
    row0, col0 = gl.program_id(0) * cfg.rows, gl.program_id(1) * cfg.columns
    rows = row0 + gl.arange(0, cfg.rows, layout=gl.SliceLayout(1, cfg.layout))[:, None]
    columns = col0 + gl.arange(0, cfg.columns, layout=gl.SliceLayout(0, cfg.layout))[None, :]
    is_inside = (rows < M) & (columns < N)
    first = sums + matrix * batch_strides[0]
    offsets = rows.to(gl.int64) * N + columns
    total = gl.load(first + offsets, mask=is_inside, other=0.0)
    for split in gl.static_range(1, cfg.splits):
        total += gl.load(first + split * batch_strides[1] + offsets, mask=is_inside, other=0.0)
    if cfg.has_bias:
        total += bias_of(bias, col0, N, cfg.layout, cfg.columns).to(gl.float32)[None, :]
    if EPILOGUE is not None:
        epilogue, sizes = Epilogue(EPILOGUE, epilogue_args), Extent(M, N)
        store_outputs(total, epilogue, c, c_strides, gl.program_id(2), row0, col0, sizes, cfg)
        return
    offsets_of_c = rows.to(gl.int64) * c_strides[0] + columns.to(gl.int64) * c_strides[1]
    result = activate(total, cfg.activation).to(c.dtype.element_ty)
    gl.store(c + matrix * batch_strides[2] + offsets_of_c, result, mask=is_inside)


__all__ = ["AddingConfig", "add_splits"]
