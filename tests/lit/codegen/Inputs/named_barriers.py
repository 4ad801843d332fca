import hocket
from hocket import language as gl
from hocket.language.nvidia.ampere import named_barrier


@hocket.jit
def store(x, stored):
    gl.store(x, 1)
    named_barrier.arrive(stored)


@hocket.jit
def load(x, stored):
    named_barrier.arrive_and_wait(stored)
    gl.store(x + 1, gl.load(x))


@hocket.jit
def nothing():
    pass


@hocket.jit
def some_of_the_block(x):
    stored = named_barrier.allocate(num_warps=8)
    gl.warp_specialize([(store, (x, stored)), (load, (x, stored)), (nothing, ())], [4, 4])


@hocket.jit
def all_of_the_block(x):
    stored = named_barrier.allocate(num_warps=8)
    gl.warp_specialize([(store, (x, stored)), (load, (x, stored))], [4])
