"""Accesses of global and shared memory that do not fit."""

from cases import mistake

import hocket.language as gl

LINE = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))
PAIRS = gl.constexpr(gl.BlockedLayout([2], [32], [4], [0]))
TILE = gl.constexpr(gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0]))
SHARED = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))


@mistake("i32")
def load_from_a_number(x):
    gl.load(x)


@mistake("*f32, i32")
def mask_of_integers(x, n):
    i = gl.arange(0, 128, layout=LINE)
    gl.load(x + i, mask=n - i)


@mistake("*f32, i32")
def mask_in_another_layout(x, n):
    i = gl.arange(0, 128, layout=LINE)
    j = gl.arange(0, 128, layout=PAIRS)
    gl.load(x + i, mask=j < n)


@mistake("*f32, i32")
def mask_not_expanded(x, n):
    rows = gl.arange(0, 64, layout=gl.SliceLayout(1, TILE))
    columns = gl.arange(0, 64, layout=gl.SliceLayout(0, TILE))
    gl.load(x + rows[:, None] * 64 + columns[None, :], mask=columns < n)


@mistake("*f32")
def other_without_mask(x):
    gl.load(x, other=0.0)


@mistake("*f32")
def unknown_cache_modifier(x):
    gl.load(x, cache_modifier="cg")


@mistake("*f32")
def store_of_none(x):
    gl.store(x, None)


@mistake("*f32")
def store_of_a_layout(x):
    gl.store(x, LINE)


@mistake("*f32")
def tensor_stored_to_a_scalar(x):
    gl.store(x, gl.arange(0, 128, layout=LINE))


@mistake("*f32")
def store_of_another_shape(x):
    gl.store(x + gl.arange(0, 128, layout=LINE), gl.zeros([64], gl.float32, LINE))


@mistake("*i8")
def atomic_on_bytes(x):
    gl.atomic_add(x, 1)


@mistake("*f16")
def atomic_maximum_of_halves(x):
    gl.atomic_max(x, 1.0)


@mistake("*i32")
def unknown_ordering(x):
    gl.atomic_add(x, 1, sem="seq_cst")


@mistake("")
def distributed_layout_for_shared_memory():
    gl.allocate_shared_memory(gl.float32, [64, 64], TILE)


@mistake("")
def shared_memory_of_bools():
    gl.allocate_shared_memory(gl.int1, [64, 64], SHARED)


@mistake("")
def shared_tile_not_a_power_of_two():
    gl.allocate_shared_memory(gl.float32, [64, 48], SHARED)


@mistake("")
def padded_layout_of_another_shape():
    padded: gl.constexpr = gl.PaddedSharedLayout.with_identity_for([[32, 4]], [16, 32], [1, 0])
    gl.allocate_shared_memory(gl.float32, [32, 32], padded)


@mistake("")
def shared_store_of_another_dtype():
    smem = gl.allocate_shared_memory(gl.float16, [64, 64], SHARED)
    smem.store(gl.zeros([64, 64], gl.float32, TILE))


@mistake("")
def shared_store_of_another_shape():
    smem = gl.allocate_shared_memory(gl.float32, [64, 64], SHARED)
    smem.store(gl.zeros([64, 32], gl.float32, TILE))


@mistake("")
def slot_outside_the_ring():
    ring = gl.allocate_shared_memory(gl.float32, [2, 64, 64], SHARED)
    ring.index(2)


@mistake("")
def tile_without_slots_indexed():
    gl.allocate_shared_memory(gl.float32, [64, 64], SHARED).index(0)


@mistake("")
def unaligned_slice():
    gl.allocate_shared_memory(gl.float32, [64, 64], SHARED).slice(8, 16)


@mistake("")
def shared_memory_in_arithmetic():
    gl.allocate_shared_memory(gl.float32, [64, 64], SHARED) + 1


@mistake("")
def shared_memory_in_brackets():
    gl.allocate_shared_memory(gl.float32, [64, 64], SHARED)[0]


@mistake("")
def reinterpreted_as_more():
    smem = gl.allocate_shared_memory(gl.float16, [64, 64], SHARED)
    smem._reinterpret(gl.float32, [64, 64], SHARED)


@mistake("")
def misspelt_method():
    gl.allocate_shared_memory(gl.float32, [64, 64], SHARED).laod(TILE)


@mistake("")
def ring_whose_layout_places_the_slots():
    gl.allocate_shared_memory(gl.float32, [3, 16, 16], gl.SwizzledSharedLayout(1, 1, 1, [2, 1, 0]))


@mistake("")
def ring_of_no_slots():
    gl.allocate_shared_memory(gl.float32, [0, 16, 16], SHARED)


@mistake("")
def ring_of_too_many_slots():
    gl.allocate_shared_memory(gl.float32, [2**40, 16, 16], SHARED)


@mistake("i32")
def schedule_after_memory(n):
    tile = gl.allocate_shared_memory(gl.float32, [32, 32], SHARED)
    gl.sched_barrier(computed=[n, tile])


@mistake("*f16")
def atomic_load_of_halves(x):
    gl.atomic_load(x)


@mistake("*i32")
def atomic_load_that_releases(x):
    gl.atomic_load(x, sem="release")


@mistake("*i32")
def atomic_store_that_acquires(x):
    gl.atomic_store(x, 1, sem="acquire")


@mistake("")
def reinterpreted_for_other_ranks():
    smem = gl.allocate_shared_memory(gl.float32, [32, 64], SHARED)
    smem.reinterpret(gl.float16, [4096])


@mistake("")
def reinterpreted_for_elements_that_the_layout_is_not_for():
    smem = gl.allocate_shared_memory(gl.float16, [32, 64], gl.NVMMASharedLayout(128, 16, 2))
    smem.reinterpret(gl.float32, [32, 32])


@mistake("*f32")
def buffer_of_two_gibi_elements(x):
    tile = gl.allocate_shared_memory(gl.float32, [2**31], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    gl.store(x, tile.load(gl.BlockedLayout([1], [32], [4], [0])))


@mistake("*f32")
def buffer_seen_as_two_gibi_elements(x):
    tile = gl.allocate_shared_memory(gl.float32, [256], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    tile._reinterpret(gl.float32, [2**31], gl.SwizzledSharedLayout(1, 1, 1, [0]))
