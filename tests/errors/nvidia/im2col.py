"""Mistakes with pixels that TMA loads as rows."""

from cases import mistake

import hocket.language as gl
from hocket.language.nvidia.hopper import mbarrier, tma


@mistake("images", lowered=True)
def tiles_of_images(desc):
    tile = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    tma.async_store(desc, [0, 0], tile)


@mistake("*f16")
def pixels_through_a_pointer(x):
    tile = gl.allocate_shared_memory(gl.float16, [32, 64], gl.NVMMASharedLayout(128, 16, 2))
    tma.async_load_im2col(x, [0, 0, 0, 0], [0, 0], mbarrier.allocate_mbarrier(), tile)


@mistake("images", lowered=True)
def a_row_and_a_column(desc):
    tile = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    tma.async_load_im2col(desc, [0, 0], [0, 0], mbarrier.allocate_mbarrier(), tile)


@mistake("images", lowered=True)
def half_a_piece_of_channels(desc):
    tile = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    tma.async_load_im2col(desc, [0, -1, -1, 4], [0, 0], mbarrier.allocate_mbarrier(), tile)


@mistake("images", lowered=True)
def one_offset_for_two_dimensions(desc):
    tile = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    tma.async_load_im2col(desc, [0, 0, 0, 0], [0], mbarrier.allocate_mbarrier(), tile)


@mistake("images", lowered=True)
def an_offset_without_brackets(desc):
    tile = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    tma.async_load_im2col(desc, [0, 0, 0, 0], 0, mbarrier.allocate_mbarrier(), tile)


@mistake("images", lowered=True)
def a_negative_offset(desc):
    tile = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    tma.async_load_im2col(desc, [0, 0, 0, 0], [-1, -1], mbarrier.allocate_mbarrier(), tile)


@mistake("images", lowered=True)
def an_offset_of_nine_bits(desc):
    tile = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    tma.async_load_im2col(desc, [0, 0, 0, 0], [0, 256], mbarrier.allocate_mbarrier(), tile)


@mistake("images", lowered=True)
def wide_offsets(desc):
    tile = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    tma.async_load_im2col(desc, [0, 0, 0, 0], [gl.program_id(0), 0], mbarrier.allocate_mbarrier(), tile)


@mistake("images", lowered=True)
def a_tile_of_another_shape(desc):
    tile = gl.allocate_shared_memory(desc.dtype, [64, 64], desc.layout)
    tma.async_load_im2col(desc, [0, 0, 0, 0], [0, 0], mbarrier.allocate_mbarrier(), tile)


@mistake("images", lowered=True)
def no_barrier(desc):
    tile = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    tma.async_load_im2col(desc, [0, 0, 0, 0], [0, 0], None, tile)
