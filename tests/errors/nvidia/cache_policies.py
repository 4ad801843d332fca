"""Mistakes with cache policies of loads, stores and copies."""

from cases import mistake

import hocket.language as gl
from hocket.language.nvidia import ampere
from hocket.language.nvidia.hopper import tma

LINE = gl.constexpr(gl.BlockedLayout([4], [32], [4], [0]))
SHARED = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [0]))
STORE_ONLY = gl.constexpr(ampere.CachePolicy(".wb"))
FAR = gl.constexpr(ampere.CachePolicy(l2_prefetch_size=128))
PAST_L1 = gl.constexpr(ampere.CachePolicy(l1="no_allocate"))


@mistake("f16[16x64]", lowered=True)
def a_policy_by_name(desc):
    tile = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    tma.async_store(desc, [0, 0], tile, cache_policy="evict_first")


@mistake("f16[16x64]", lowered=True)
def a_policy_of_the_first_level(desc):
    tile = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    tma.async_store(desc, [0, 0], tile, cache_policy=PAST_L1)


@mistake("*f32")
def a_policy_and_a_word(x):
    gl.load(x + gl.arange(0, 512, LINE), eviction_policy="evict_last", cache_policy=PAST_L1)


@mistake("*f32")
def a_policy_and_a_modifier(x):
    gl.store(x + gl.arange(0, 512, LINE), 0.0, cache_modifier=".cg", cache_policy=PAST_L1)


@mistake("*f32")
def a_load_with_a_modifier_of_stores(x):
    gl.load(x + gl.arange(0, 512, LINE), cache_policy=STORE_ONLY)


@mistake("*f32")
def a_store_that_fetches_more(x):
    gl.store(x + gl.arange(0, 512, LINE), 0.0, cache_policy=FAR)


@mistake("*f32")
def a_priority_by_name(x):
    gl.load(x + gl.arange(0, 512, LINE), cache_policy="evict_last")


@mistake("*f32")
def a_priority_that_is_known_at_run_time(x):
    v = gl.load(x + gl.arange(0, 512, LINE))
    gl.load(x + gl.arange(0, 512, LINE), cache_policy=v)


@mistake("*f32")
def a_misspelt_priority(x):
    gl.load(x + gl.arange(0, 512, LINE), eviction_policy="evict_never")


@mistake("*f32")
def a_copy_with_a_priority_of_the_first_level(x):
    tile = gl.allocate_shared_memory(gl.float32, [512], SHARED)
    ampere.async_copy.async_load(tile, x + gl.arange(0, 512, LINE), cache_policy=PAST_L1)


@mistake("*f32")
def a_copy_with_a_modifier_of_loads(x):
    tile = gl.allocate_shared_memory(gl.float32, [512], SHARED)
    ampere.async_copy.async_load(tile, x + gl.arange(0, 512, LINE), cache_modifier=".cs")


@mistake()
def a_policy_that_contradicts_itself():
    policy: gl.constexpr = ampere.CachePolicy(".cg", l1="evict_last")


@mistake()
def a_policy_for_more_than_all_accesses():
    policy: gl.constexpr = ampere.FractionalEvictionPolicy("evict_last", 1.5)
