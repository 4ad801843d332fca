"""A kernel whose worker has a register budget."""

import hocket
from hocket import language as gl


@hocket.jit
def copy(x, out):
    i = gl.arange(0, 128, layout=gl.row_layout())
    gl.store(out + i, gl.load(x + i))


@hocket.jit
def total(x):
    return gl.sum(gl.load(x + gl.arange(0, 128, layout=gl.row_layout())), axis=0)


@hocket.jit
def partitions(x, out, REGISTERS: gl.constexpr):
    s = gl.warp_specialize([(total, (x,)), (copy, (x, out)), (copy, (x, out + 128))], [4, 1], REGISTERS)
    gl.store(out + 256, s)
