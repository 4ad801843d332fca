"""Elements of shared memory that indices select, and linear layouts of shared memory."""

from cases import mistake

import hocket.language as gl

LINE = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))
TILE = gl.constexpr(gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0]))
SHARED = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))
FLAT = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [0]))


@mistake("")
def indices_of_another_rank():
    smem = gl.allocate_shared_memory(gl.float32, [64, 64], SHARED)
    smem.gather(gl.arange(0, 64, layout=LINE), 0)


@mistake("")
def indices_that_are_no_integers():
    smem = gl.allocate_shared_memory(gl.float32, [64], FLAT)
    smem.gather(gl.zeros([64], gl.float32, LINE), 0)


@mistake("")
def index_that_is_a_scalar():
    smem = gl.allocate_shared_memory(gl.float32, [64], FLAT)
    smem.gather(3, 0)


@mistake("")
def indices_larger_than_the_buffer():
    smem = gl.allocate_shared_memory(gl.float32, [64, 32], SHARED)
    smem.gather(gl.zeros([16, 64], gl.int32, TILE), 0)


@mistake("")
def axis_out_of_range():
    smem = gl.allocate_shared_memory(gl.float32, [64, 64], SHARED)
    smem.gather(gl.zeros([64, 64], gl.int32, TILE), 2)


@mistake("")
def slots_of_a_ring():
    ring = gl.allocate_shared_memory(gl.float32, [2, 64, 64], SHARED)
    ring.scatter(gl.zeros([2, 64, 64], gl.float32), gl.zeros([2, 64, 64], gl.int32), 1)


@mistake("")
def values_of_another_shape():
    smem = gl.allocate_shared_memory(gl.float32, [64], FLAT)
    smem.scatter(gl.zeros([32], gl.float32, LINE), gl.arange(0, 64, layout=LINE), 0)


@mistake("")
def values_in_another_layout():
    smem = gl.allocate_shared_memory(gl.float32, [64], FLAT)
    wide: gl.constexpr = gl.BlockedLayout([2], [32], [4], [0])
    smem.scatter(gl.zeros([64], gl.float32, wide), gl.arange(0, 64, layout=LINE), 0)


@mistake("")
def adding_bytes():
    smem = gl.allocate_shared_memory(gl.int8, [64], FLAT)
    smem.atomic_scatter_add(gl.zeros([64], gl.int8, LINE), gl.arange(0, 64, layout=LINE), 0)


@mistake("")
def bits_of_floats():
    smem = gl.allocate_shared_memory(gl.float32, [64], FLAT)
    smem.atomic_scatter_and(gl.zeros([64], gl.float32, LINE), gl.arange(0, 64, layout=LINE), 0)


@mistake("")
def largest_float_of_a_part():
    smem = gl.allocate_shared_memory(gl.float32, [64], FLAT).slice(32, 32)
    smem.atomic_scatter_max(gl.zeros([32], gl.float32, LINE), gl.arange(0, 32, layout=LINE), 0)


@mistake("")
def exchanging_halves():
    smem = gl.allocate_shared_memory(gl.float16, [64], FLAT)
    smem.atomic_scatter_xchg(gl.zeros([64], gl.float16, LINE), gl.arange(0, 64, layout=LINE), 0)


@mistake("")
def mask_of_another_type():
    smem = gl.allocate_shared_memory(gl.int32, [64], FLAT)
    i = gl.arange(0, 64, layout=LINE)
    smem.atomic_scatter_add(i, i, 0, mask=i)


@mistake("")
def gather_from_registers():
    x = gl.zeros([64], gl.float32, LINE)
    gl.shared_memory_descriptor.gather(x, gl.arange(0, 64, layout=LINE), 0)


@mistake("")
def linear_memory_of_another_shape():
    layout: gl.constexpr = gl.SharedLinearLayout([[0, 1], [0, 2], [1, 0], [2, 0]])
    gl.allocate_shared_memory(gl.float32, [8, 4], layout)


@mistake("")
def linear_memory_with_a_place_twice():
    gl.SharedLinearLayout([[0, 1], [1, 0], [1, 1]])


@mistake("")
def linear_memory_without_rows():
    gl.SharedLinearLayout([])


@mistake("")
def linear_memory_with_a_negative_row():
    gl.SharedLinearLayout([[0, 1], [-1, 0]])
