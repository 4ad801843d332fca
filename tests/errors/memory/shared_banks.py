"""Wrong arguments of gl.bank_conflicts."""

from cases import mistake

import hocket.language as gl
from hocket.language import amd

WAVE = gl.constexpr(gl.BlockedLayout([1, 8], [8, 8], [4, 1], [1, 0]))
PLAIN = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))
PADDED = gl.constexpr(gl.PaddedSharedLayout.with_identity_for([[64, 8]], [64, 64], [1, 0]))


@mistake("", target="gfx950")
def a_tensor_instead_of_its_type():
    x = gl.zeros([64, 64], gl.float16, WAVE)
    smem = gl.allocate_shared_memory(gl.float16, [64, 64], PLAIN)
    gl.bank_conflicts(x, smem.type)


@mistake("", target="gfx950")
def shared_memory_instead_of_its_type():
    x = gl.zeros([64, 64], gl.float16, WAVE)
    smem = gl.allocate_shared_memory(gl.float16, [64, 64], PLAIN)
    gl.bank_conflicts(x.type, smem)


@mistake("", target="gfx950")
def types_in_the_wrong_order():
    x = gl.zeros([64, 64], gl.float16, WAVE)
    smem = gl.allocate_shared_memory(gl.float16, [64, 64], PLAIN)
    gl.bank_conflicts(smem.type, x.type)


@mistake("", target="gfx950")
def two_tensors():
    x = gl.zeros([64, 64], gl.float16, WAVE)
    gl.bank_conflicts(x.type, x.type)


@mistake("", target="gfx950")
def a_layout_instead_of_a_type():
    smem = gl.allocate_shared_memory(gl.float16, [64, 64], PLAIN)
    gl.bank_conflicts(WAVE, smem.type)


@mistake("", target="gfx950")
def other_shapes():
    x = gl.zeros([64, 32], gl.float16, WAVE)
    smem = gl.allocate_shared_memory(gl.float16, [64, 64], PLAIN)
    gl.bank_conflicts(x.type, smem.type)


@mistake("", target="gfx950")
def other_dtypes():
    x = gl.zeros([64, 64], gl.float32, WAVE)
    smem = gl.allocate_shared_memory(gl.float16, [64, 64], PLAIN)
    gl.bank_conflicts(x.type, smem.type)


@mistake("", target="gfx950")
def all_slots_of_a_ring():
    x = gl.zeros([64, 64], gl.float16, WAVE)
    ring = gl.allocate_shared_memory(gl.float16, [3, 64, 64], PLAIN)
    gl.bank_conflicts(x.type, ring.type)


@mistake("", target="gfx950")
def neither_load_nor_store():
    x = gl.zeros([64, 64], gl.float16, WAVE)
    smem = gl.allocate_shared_memory(gl.float16, [64, 64], PLAIN)
    gl.bank_conflicts(x.type, smem.type, "both")


@mistake("", target="gfx950")
def a_target_that_nobody_knows():
    x = gl.zeros([64, 64], gl.float16, WAVE)
    smem = gl.allocate_shared_memory(gl.float16, [64, 64], PLAIN)
    gl.bank_conflicts(x.type, smem.type, target="gfx90a")


@mistake("", target="gfx950")
def lanes_of_another_target():
    x = gl.zeros([64, 64], gl.float16, WAVE)
    smem = gl.allocate_shared_memory(gl.float16, [64, 64], PLAIN)
    gl.bank_conflicts(x.type, smem.type, target="sm_90a")


@mistake("", target="gfx950")
def a_padded_layout_of_another_shape():
    x: gl.constexpr = gl.distributed_type(gl.float16, [32, 64], WAVE)
    smem: gl.constexpr = gl.shared_memory_descriptor_type(gl.float16, [32, 64], PADDED)
    gl.bank_conflicts(x, smem)


@mistake("", target="gfx950")
def a_layout_without_places():
    x: gl.constexpr = gl.distributed_type(gl.float16, [64, 64], gl.AutoLayout())
    smem: gl.constexpr = gl.shared_memory_descriptor_type(gl.float16, [64, 64], PADDED)
    gl.bank_conflicts(x, smem)


@mistake("", target="gfx950")
def padding_for_a_blocked_layout():
    amd.cdna4.compute_efficient_padded_shared_layout(WAVE, [64, 64], gl.float16, True)


@mistake("", target="gfx950")
def padding_for_a_tile_of_odd_size():
    mfma: gl.constexpr = amd.AMDMFMALayout(4, [16, 16, 32], True, [2, 2])
    amd.cdna4.compute_efficient_padded_shared_layout(gl.DotOperandLayout(0, mfma, 8), [64, 48], gl.float16, True)
