"""Kernels of the gradient of group norm. A row holds one channel of one image, with all its elements.

With n = (x - mean) rstd and g = dy weight, where mean() is over a group:

    dx = rstd (g - n mean(g n) - mean(g))        dw = sum of dy n        db = sum of dy

dw and db are sums over the elements of a channel and over all images. All of these sums can be computed from two sums
of each channel of each image, sum(dy n) and sum(dy), because the weight is the same for all elements of a channel:

    first launch      the two sums of each part of each channel of each image
    second launch     some blocks: sum(g n) and sum(g) of each group; other blocks: dw and db of each channel
    third launch      dx of each part of each channel of each image

A launch begins when the previous one has ended. All warps of a block have the same role. The only barriers, of all
warps of the block, are in reductions. The plan fixes the order of all additions, so results are bitwise reproducible.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ... import jit
from ... import language as gl
from ..norms.rows import add_pairs, load_rows, store_rows
from .tiles import tile_of_block


class GroupStatistics(NamedTuple):
    """Pointers to the mean and rstd of each group of each image, in float32."""

    mean: Any
    rstd: Any


class GroupSizes(NamedTuple):
    """`images`: number of images. `channels`: number of channels of an image. `per_group`: number of channels per
    group. `parts`: number of parts of a channel of an image, each of which has separate sums."""

    images: Any
    channels: Any
    per_group: Any
    parts: Any


class ChannelGradients(NamedTuple):
    """Pointers to the gradients of weight and bias. None if the gradient is not computed."""

    weight: Any
    bias: Any


@jit
def normal_of(x, row, rows, statistics, per_group):
    """Returns n = (x - mean) rstd, and the rstd of each row, which is 0 for rows past the end of the matrix."""
    group = row // per_group
    inside = row < rows
    mean = gl.load(statistics.mean + group, mask=inside, other=0.0)
    rstd = gl.load(statistics.rstd + group, mask=inside, other=0.0)
    return (x.to(gl.float32) - mean[:, None]) * rstd[:, None], rstd


@jit
def sums_of_parts(dy, x, statistics, partials, sizes, rows, columns, cfg: gl.constexpr):
    """Stores sum(dy n) and sum(dy) of each part of each row to `partials`, float32 [2, rows, parts]. The kernel takes
    dy and x as MatrixPointer."""
    row, column = tile_of_block(sizes.parts, cfg)
    gradient = load_rows(dy.data, row, column, dy.stride, rows, columns, cfg).to(gl.float32)
    values = load_rows(x.data, row, column, x.stride, rows, columns, cfg)
    # Past the end of a row, n is not 0, but dy is.
    normal, _ = normal_of(values, row, rows, statistics, sizes.per_group)
    products, gradients = gl.reduce((gradient * normal, gradient), 1, add_pairs)
    pointers = partials + row.to(gl.int64) * sizes.parts + gl.program_id(0) % sizes.parts
    gl.store(pointers, products, mask=row < rows)
    gl.store(pointers + rows * sizes.parts, gradients, mask=row < rows)


@jit
def sum_group(partials, weight, sums, sizes, group, rows, BLOCK: gl.constexpr):
    """Stores sum(g n) and sum(g) of one group of one image to `sums`, float32 [2, images, groups]."""
    layout: gl.constexpr = gl.BlockedLayout([1], [gl.num_lanes()], [gl.num_warps()], [0])
    groups = sizes.channels // sizes.per_group
    count = sizes.per_group * sizes.parts
    begin = partials + group * count
    second = rows * sizes.parts
    along = gl.zeros([BLOCK], gl.float32, layout)
    shift = gl.zeros([BLOCK], gl.float32, layout)
    for first in range(0, count, BLOCK):
        index = first + gl.arange(0, BLOCK, layout=layout)
        inside = index < count
        products = gl.load(begin + index, mask=inside, other=0.0)
        gradients = gl.load(begin + second + index, mask=inside, other=0.0)
        if weight is not None:
            channel = group % groups * sizes.per_group + index // sizes.parts
            scale = gl.load(weight + channel, mask=inside, other=0.0).to(gl.float32)
            products *= scale
            gradients *= scale
        along += products
        shift += gradients
    along, shift = gl.reduce((along, shift), 0, add_pairs)
    gl.store(sums + group, along)
    gl.store(sums + sizes.images * groups + group, shift)


@jit
def sum_channels(partials, output, first, sizes, CHANNELS: gl.constexpr, BLOCK: gl.constexpr):
    """Stores the sums of `partials`, [images, channels, parts], over images and parts, for CHANNELS channels."""
    # Adjacent lanes have adjacent channels: without parts, these are adjacent in memory.
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [CHANNELS, gl.num_lanes() // CHANNELS], [1, gl.num_warps()], [0, 1])
    channel = first + gl.arange(0, CHANNELS, layout=gl.SliceLayout(1, layout))
    total = gl.zeros([CHANNELS, BLOCK // CHANNELS], gl.float32, layout)
    count = sizes.images * sizes.parts
    for begin in range(0, count, BLOCK // CHANNELS):
        index = begin + gl.arange(0, BLOCK // CHANNELS, layout=gl.SliceLayout(0, layout))
        image = index // sizes.parts
        inside = (channel < sizes.channels)[:, None] & (index < count)[None, :]
        in_image = channel[:, None] * sizes.parts + (index % sizes.parts)[None, :]
        offsets = (image.to(gl.int64) * (sizes.channels * sizes.parts))[None, :] + in_image
        total += gl.load(partials + offsets, mask=inside, other=0.0)
    result = gl.sum(total, axis=1).to(output.dtype.element_ty)
    gl.store(output + channel, result, mask=channel < sizes.channels)


@jit
def add_up_channels(partials, weight, sums, gradients, sizes, rows, CHANNELS: gl.constexpr, BLOCK: gl.constexpr):
    """Adds up the sums of `sums_of_parts`. The first blocks add up one group of one image each, the last blocks
    CHANNELS channels of all images each."""
    groups = sizes.images * (sizes.channels // sizes.per_group)
    program = gl.program_id(0)
    if program < groups:
        sum_group(partials, weight, sums, sizes, program, rows, BLOCK)
    else:
        first = (program - groups) * CHANNELS
        if gradients.weight is not None:
            sum_channels(partials, gradients.weight, first, sizes, CHANNELS, BLOCK)
        if gradients.bias is not None:
            second = partials + rows * sizes.parts
            sum_channels(second, gradients.bias, first, sizes, CHANNELS, BLOCK)


@jit
def gradient_of_parts(dy, x, statistics, sums, weight, dx, sizes, rows, columns, cfg: gl.constexpr):
    """Computes and stores dx of each part of each row. `sums`: the results of `add_up_channels`. The kernel takes dy, x
    and dx as MatrixPointer."""
    row, column = tile_of_block(sizes.parts, cfg)
    gradient = load_rows(dy.data, row, column, dy.stride, rows, columns, cfg).to(gl.float32)
    values = load_rows(x.data, row, column, x.stride, rows, columns, cfg)
    normal, rstd = normal_of(values, row, rows, statistics, sizes.per_group)
    inside = row < rows
    pointers = sums + row // sizes.per_group
    along = gl.load(pointers, mask=inside, other=0.0)
    shift = gl.load(pointers + sizes.images * (sizes.channels // sizes.per_group), mask=inside, other=0.0)
    share = 1.0 / (sizes.per_group * columns)
    scale = rstd
    if weight is not None:
        scale = rstd * gl.load(weight + row % sizes.channels, mask=inside, other=0.0).to(gl.float32)
    result = gradient * scale[:, None] - normal * (along * share * rstd)[:, None] - (shift * share * rstd)[:, None]
    store_rows(dx.data, row, column, dx.stride, rows, columns, result, cfg)
