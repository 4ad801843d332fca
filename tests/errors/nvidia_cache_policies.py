"""Mistakes with cache policies of bulk copies."""

from cases import mistake

import hocket.language as gl
from hocket.language.nvidia import ampere
from hocket.language.nvidia.hopper import tma

HALF = gl.constexpr(ampere.CachePolicy(l2=ampere.FractionalEvictionPolicy("evict_first", 0.5)))
PAST_L1 = gl.constexpr(ampere.CachePolicy(l1="no_allocate"))


@mistake("f16[16x64]", lowered=True)
def a_policy_by_name(desc):
    tile = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    tma.async_store(desc, [0, 0], tile, cache_policy="evict_first")


@mistake("f16[16x64]", lowered=True)
def a_policy_of_the_first_level(desc):
    tile = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    tma.async_store(desc, [0, 0], tile, cache_policy=PAST_L1)


@mistake("f16[16x64]", lowered=True)
def a_policy_for_half_of_the_accesses(desc):
    tile = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    tma.async_store(desc, [0, 0], tile, cache_policy=HALF)
