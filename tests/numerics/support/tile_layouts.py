"""Layouts of 32 x 64 tiles, by name: blocked, MMA, slice, and linear layouts with XOR."""

from hocket import language as gl


def lanes(device):
    return 64 if device.name.startswith("gfx") else 32


def linear(shape, rows, device):
    """The layout whose bits, registers first, are these rows; zeros fill up the lanes and warps."""
    lane_bits = lanes(device).bit_length() - 1
    zero = [0] * len(shape)
    reg, rest = rows
    rest = rest + [zero] * (lane_bits + 2 - len(rest))
    return gl.DistributedLinearLayout(reg, rest[:lane_bits], rest[lane_bits:], [], shape)


def bits(shape, dim):
    return [[2**k if d == dim else 0 for d in range(len(shape))] for k in range(shape[dim].bit_length() - 1)]


def linear_layouts(device):
    """Returns bases for 32 x 64 = 2^11 elements."""
    shape = [32, 64]
    row, column = bits(shape, 0), bits(shape, 1)
    swizzled = [[2**k, 2**k] for k in range(5)]
    return {
        # Lanes along the rows, but the highest bit first.
        "backwards": linear(shape, (row, column[::-1]), device),
        # Registers between lanes.
        "mixed": linear(shape, (column[1::2] + row[:2], column[::2] + row[2:]), device),
        # Bits of lanes that move along both dimensions.
        "swizzled": linear(shape, (row, [*swizzled, column[5]]), device),
        # Warps below lanes.
        "warps_first": gl.DistributedLinearLayout(
            row, (column[2:] + [[0, 0]] * 2)[: lanes(device).bit_length() - 1], column[:2], [], shape
        ),
        # Bits of warps and registers alternate.
        "steps": gl.DistributedLinearLayout(
            [column[0], column[3], column[5], *row[:3]] if lanes(device) == 32 else [column[0], column[5], *row[:3]],
            [column[1], column[2], row[3], row[4], [0, 0]][: 5] + ([[0, 0]] if lanes(device) == 64 else []),
            [column[4], [0, 0]] if lanes(device) == 32 else [column[3], column[4]], [], shape,
        ),
    }  # fmt: skip


def named_layouts(device):
    n = lanes(device)
    mma = gl.NVMMADistributedLayout([2, 0], [4, 1], [16, 8])
    mfma = gl.amd.AMDMFMALayout(3, [16, 16, 16], False, [2, 2])
    matrix = mma if n == 32 else mfma
    return {
        "rows": gl.BlockedLayout([1, 4], [4, n // 4], [4, 1], [1, 0]),
        "columns": gl.BlockedLayout([4, 1], [n // 4, 4], [1, 4], [0, 1]),
        "boxes": gl.BlockedLayout([2, 2], [n // 8, 8], [2, 2], [1, 0]),
        "wrapped": gl.BlockedLayout([1, 1], [2, n // 2], [2, 2], [0, 1]),
        "row_of_warps": gl.BlockedLayout([1, 2], [1, n], [1, 4], [1, 0]),
        "in_lanes": gl.BlockedLayout([1, 16], [n, 1], [4, 1], [1, 0]),
        "slice": gl.SliceLayout(1, gl.BlockedLayout([1, 2, 1], [4, n // 8, 2], [2, 1, 2], [2, 1, 0])),
        "matrix": matrix,
        "operand": gl.DotOperandLayout(0, matrix, 2 if n == 32 else 4),
        **linear_layouts(device),
    }


BLOCKED = ["rows", "columns", "boxes", "wrapped", "row_of_warps", "in_lanes", "slice", "matrix", "operand"]
LINEAR = ["backwards", "mixed", "swizzled", "warps_first", "steps"]
