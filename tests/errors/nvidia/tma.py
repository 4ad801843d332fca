"""Mistakes with blocks of tensors that TMA moves."""

from cases import mistake

import hocket.language as gl
from hocket.language.nvidia.hopper import mbarrier, tma

ROWS = gl.constexpr(gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0]))
OTHER = gl.constexpr(gl.NVMMASharedLayout(64, 16, 2))


@mistake("*f16", target="gfx950")
def store_on_another_vendor(x):
    tma.store_wait(0)


@mistake("*f16", target="sm_80")
def store_before_hopper(x):
    tma.store_wait(0)


@mistake("*f16")
def store_through_a_pointer(x):
    tile = gl.allocate_shared_memory(gl.float16, [16, 64], gl.NVMMASharedLayout(128, 16, 2))
    tma.async_store(x, [0, 0], tile)


@mistake("f16[16x64]", lowered=True)
def store_without_brackets(desc):
    tma.async_store(desc, 0, gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout))


@mistake("f16[16x64]", lowered=True)
def store_with_too_few_coordinates(desc):
    tma.async_store(desc, [0], gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout))


@mistake("f16[16x64]", lowered=True)
def store_with_wide_coordinates(desc):
    tile = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    tma.async_store(desc, [gl.program_id(0).to(gl.int64), 0], tile)


@mistake("f16[16x64]", lowered=True)
def store_of_a_tensor(desc):
    tma.async_store(desc, [0, 0], gl.zeros([16, 64], gl.float16, ROWS))


@mistake("f16[16x64]", lowered=True)
def store_of_a_whole_ring(desc):
    ring = gl.allocate_shared_memory(desc.dtype, [3, 16, 64], desc.layout)
    tma.async_store(desc, [0, 0], ring)


@mistake("f16[16x64]", lowered=True)
def store_of_another_shape(desc):
    tma.async_store(desc, [0, 0], gl.allocate_shared_memory(desc.dtype, [32, 64], desc.layout))


@mistake("f16[16x64]", lowered=True)
def store_of_another_dtype(desc):
    tma.async_store(desc, [0, 0], gl.allocate_shared_memory(gl.bfloat16, desc.block_shape, desc.layout))


@mistake("f16[16x64]", lowered=True)
def store_of_another_layout(desc):
    tma.async_store(desc, [0, 0], gl.allocate_shared_memory(desc.dtype, desc.block_shape, OTHER))


@mistake("f16[4x4x64]", lowered=True)
def store_of_a_slice_with_gaps(desc):
    tile = gl.allocate_shared_memory(desc.dtype, [4, 8, 64], desc.layout)
    tma.async_store(desc, [0, 0, 0], tile.slice(4, 4, 1))


@mistake("f16[16]", lowered=True)
def store_of_a_slice_that_begins_anywhere(desc):
    tile = gl.allocate_shared_memory(desc.dtype, [64], desc.layout)
    tma.async_store(desc, [0], tile.slice(16, 16))


@mistake("f16[2x8x64]", num_ctas=2)
def store_of_a_slice_of_one_block(desc):
    tile = gl.allocate_shared_memory(desc.dtype, [32, 64], desc.layout)
    tma.async_store(desc, [0, 0], tile.slice(16, 16))


@mistake("f16[16x64]", lowered=True)
def wait_for_a_negative_number(desc):
    tma.store_wait(-1)


@mistake("f16[16x64], *f32", lowered=True)
def wait_for_a_number_known_later(desc, x):
    tma.store_wait(gl.program_id(0))


@mistake("f16[16x64]", lowered=True)
def block_size_under_another_name(desc):
    gl.static_print(desc.block_shapes)


@mistake("f16[16x64]", lowered=True)
def arithmetic_on_a_descriptor(desc):
    desc + 16


@mistake("f16[16x64]", lowered=True)
def a_descriptor_taken_apart(desc):
    _first, _second = desc


@mistake("f16[16x64]", lowered=True)
def load_from_a_descriptor(desc):
    gl.load(desc)


@mistake("f16[16x64]", lowered=True)
def load_without_a_barrier(desc):
    tile = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    tma.async_load(desc, [0, 0], None, tile)


@mistake("f16[16x64]", lowered=True)
def load_for_all_barriers_of_a_ring(desc):
    tile = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    bars = gl.allocate_shared_memory(gl.int64, [2, 1], mbarrier.MBarrierLayout())
    tma.async_load(desc, [0, 0], bars, tile)


@mistake("f16[16x64]", lowered=True)
def load_where_some_lanes_want_it(desc):
    tile = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    tma.async_load(desc, [0, 0], bar, tile, pred=gl.full([16, 64], 1, gl.int1, ROWS))


@mistake("f16[16x64]", lowered=True)
def bits_of_floats(desc):
    tma.async_atomic_xor(desc, [0, 0], gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout))


@mistake("f16[16x64]", lowered=True)
def descriptor_made_on_the_device(desc):
    tma.make_tensor_descriptor(desc, [64, 64], [64, 1], [16, 64], desc.layout)


@mistake("f16[16x64]", lowered=True)
def im2col_load(desc):
    tma.async_load_im2col(desc, [0, 0], [0], None, None)


@mistake("f16[16x64]", lowered=True)
def store_of_half_a_piece(desc):
    tma.async_store(desc, [0, 4], gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout))


@mistake("f16[16x64]", lowered=True)
def store_before_the_tensor(desc):
    first_row: gl.constexpr = 8 - desc.block_shape[0]
    tma.async_store(desc, [first_row, 0], gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout))


@mistake("f16[16x64]", lowered=True)
def reduction_before_the_tensor(desc):
    tma.async_atomic_add(desc, [0, -64], gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout))


@mistake("f16[16x64]", lowered=True)
def load_of_half_a_piece(desc):
    tile = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    tma.async_load(desc, [-16, -4], bar, tile)


@mistake("f16[16x64]", lowered=True)
def tile_of_coordinates(desc):
    rows = gl.arange(0, 16, gl.SliceLayout(1, ROWS))
    tma.async_store(desc, [rows, 0], gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout))


@mistake("f16[16x64], i32", lowered=True)
def coordinate_of_a_division(desc, n):
    tma.async_store(desc, [n / 2, 0], gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout))


@mistake("f16[16x64]", lowered=True)
def load_as_in_triton(desc):
    desc.load([0, 0])


@mistake("f16[16x64]", lowered=True)
def store_as_in_triton(desc):
    desc.store([0, 0], 1.0)


@mistake("*f16")
def array_in_place_of_a_descriptor(desc):
    gl.allocate_shared_memory(gl.float16, [16, 64], desc.layout)


@mistake("*f16, i32")
def descriptor_made_without_a_layout(x, n):
    tma.make_tensor_descriptor(x, [n, n], [n, 1], [16, 64])


@mistake("*f16")
def load_by_its_name_in_cutlass(x):
    tma.copy(x)


@mistake("*f16")
def wait_by_its_name_in_ptx(x):
    mbarrier.try_wait(x, 0)


@mistake("*f16")
def bytes_by_their_name_in_ptx(x):
    mbarrier.arrive_expect_tx(x, 1024)


@mistake("f16[16x64]", lowered=True)
def load_of_what_a_store_still_writes(desc):
    tile = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout, gl.zeros([16, 64], desc.dtype, ROWS))
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    tma.async_store(desc, [0, 0], tile)
    tma.store_wait(0)
    mbarrier.expect(bar, desc.nbytes_per_cta)
    tma.async_load(desc, [0, 0], bar, tile)
