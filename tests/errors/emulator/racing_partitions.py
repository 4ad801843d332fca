"""Kernels whose partitions race with each other, or deadlock."""

import hocket
from hocket import language as gl


@hocket.jit
def fill(tile):
    tile.store(gl.full([256], 1, gl.int32, gl.row_layout()))


@hocket.jit
def drain(tile, out):
    layout: gl.constexpr = gl.row_layout()
    gl.store(out + gl.arange(0, 256, layout=layout), tile.load(layout))


@hocket.jit
def through_shared(out):
    """`drain` does not wait for `fill`."""
    tile = gl.allocate_shared_memory(gl.int32, [256], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    gl.warp_specialize([(fill, (tile,)), (drain, (tile, out))], [4])


@hocket.jit
def put(out):
    gl.store(out + gl.arange(0, 256, layout=gl.row_layout()), 1)


@hocket.jit
def put_too(out):
    gl.store(out + gl.arange(0, 256, layout=gl.row_layout()), 2)


@hocket.jit
def through_global(out):
    gl.warp_specialize([(put, (out,)), (put_too, (out,))], [4])


@hocket.jit
def nothing():
    pass


@hocket.jit
def wait_for_more(flag):
    while gl.atomic_add(flag, 0) == 0:
        pass


@hocket.jit
def waits_for_ever(flag):
    gl.warp_specialize([(nothing, ()), (nothing, ()), (wait_for_more, (flag,))], [4, 2])
