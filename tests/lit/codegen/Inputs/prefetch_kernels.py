"""GEMMs as plain loops, for tests of prefetching."""

import hocket
from hocket import language as gl
from hocket.language.amd import cdna3


@hocket.jit
def through_registers(a, b, c, K, STAGES: gl.constexpr):
    """Computes one 128 x 128 tile with CDNA3's MFMA; K is a multiple of 32."""
    loads: gl.constexpr = gl.BlockedLayout([1, 8], [16, 4], [4, 1], [1, 0])
    acc_layout: gl.constexpr = gl.amd.AMDMFMALayout(3, [32, 32, 8], True, [2, 2])
    shared: gl.constexpr = gl.PaddedSharedLayout.with_identity_for([[32, 8]], [128, 32], [1, 0])
    rows = gl.arange(0, 128, layout=gl.SliceLayout(1, loads))[:, None]
    columns = gl.arange(0, 32, layout=gl.SliceLayout(0, loads))[None, :]
    a_tile = gl.allocate_shared_memory(a.dtype.element_ty, [128, 32], shared)
    b_tile = gl.allocate_shared_memory(b.dtype.element_ty, [128, 32], shared)
    acc = gl.zeros([128, 128], gl.float32, acc_layout)
    for k in gl.range(0, K, 32, num_stages=STAGES):
        a_tile.store(cdna3.buffer_load(a, rows * K + columns + k))
        b_tile.store(cdna3.buffer_load(b, rows * K + columns + k))
        left = a_tile.load(gl.DotOperandLayout(0, acc_layout, 8))
        right = b_tile.permute([1, 0]).load(gl.DotOperandLayout(1, acc_layout, 8))
        acc = cdna3.mfma(left, right, acc)
    out_rows = gl.arange(0, 128, layout=gl.SliceLayout(1, acc_layout))[:, None]
    out_columns = gl.arange(0, 128, layout=gl.SliceLayout(0, acc_layout))[None, :]
    cdna3.buffer_store(acc, c, out_rows * 128 + out_columns)


@hocket.jit
def fused_multiply_adds(a, b, c, K, STAGES: gl.constexpr):
    """Computes one 64 x 64 tile without matrix cores, on any GPU; K is a multiple of 16."""
    lanes: gl.constexpr = gl.num_lanes()
    acc_layout: gl.constexpr = gl.BlockedLayout([4, 4], [lanes // 8, 8], [gl.num_warps(), 1], [1, 0])
    loads: gl.constexpr = gl.BlockedLayout([1, 4], [lanes // 4, 4], [gl.num_warps(), 1], [1, 0])
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    rows = gl.arange(0, 64, layout=gl.SliceLayout(1, loads))[:, None]
    columns = gl.arange(0, 16, layout=gl.SliceLayout(0, loads))[None, :]
    a_tile = gl.allocate_shared_memory(a.dtype.element_ty, [64, 16], shared)
    b_tile = gl.allocate_shared_memory(b.dtype.element_ty, [64, 16], shared)
    acc = gl.zeros([64, 64], gl.float32, acc_layout)
    for k in gl.range(0, K, 16, num_stages=STAGES):
        a_tile.store(gl.load(a + rows * K + columns + k))
        b_tile.store(gl.load(b + rows * K + columns + k))
        left = a_tile.load(gl.DotOperandLayout(0, acc_layout, 0))
        right = b_tile.permute([1, 0]).load(gl.DotOperandLayout(1, acc_layout, 0))
        acc = gl.dot_fma(left, right, acc)
    out_rows = gl.arange(0, 64, layout=gl.SliceLayout(1, acc_layout))[:, None]
    out_columns = gl.arange(0, 64, layout=gl.SliceLayout(0, acc_layout))[None, :]
    gl.store(c + out_rows * 64 + out_columns, acc)
