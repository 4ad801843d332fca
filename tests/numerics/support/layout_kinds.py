"""Layouts of every class, for tests of all pairs of them: distributed ones of 4 warps, and shared ones."""

from hocket import language as gl

TARGETS = ("sm_80", "sm_90a", "gfx942", "gfx950")


def lanes_of(target):
    return 64 if target.startswith("gfx") else 32


def _bits(dim, low, high, rank=2):
    return [[1 << bit if d == dim else 0 for d in range(rank)] for bit in range(low, high)]


def _linear(target, shape):
    """Lanes, then warps, then registers: rows and columns alternate from bit to bit."""
    rows, columns = (size.bit_length() - 1 for size in shape)
    row_bits, column_bits = _bits(0, 0, rows), _bits(1, 0, columns)
    mixed = [row for pair in zip(row_bits, column_bits, strict=False) for row in pair]
    mixed += row_bits[len(column_bits) :] + column_bits[len(row_bits) :]
    return mixed, lanes_of(target).bit_length() - 1


def linear(target, shape):
    """Swizzled: each lane's column depends on its row."""
    mixed, lanes = _linear(target, shape)
    mixed[0] = [a ^ b for a, b in zip(mixed[0], mixed[1], strict=True)]
    return gl.DistributedLinearLayout(mixed[lanes + 2 :], mixed[:lanes], mixed[lanes : lanes + 2], [], list(shape))


def linear_with_copies(target, shape):
    """Zero rows: one bit of the lanes, and one of the warps, change nothing."""
    mixed, lanes = _linear(target, shape)
    lane = [[0, 0], *mixed[: lanes - 1]]
    warp = [mixed[lanes - 1], [0, 0]]
    return gl.DistributedLinearLayout(mixed[lanes:], lane, warp, [], list(shape))


def dependent(target, shape):
    """Rows that are the sums of others: of registers, of lanes, and of both."""
    mixed, lanes = _linear(target, shape)
    lane = mixed[: lanes - 1]
    sums = [a ^ b for a, b in zip(lane[0], lane[1], strict=True)]
    registers = mixed[lanes - 1 :]
    with_register = [a ^ b for a, b in zip(lane[2], registers[0], strict=True)]
    warp = [registers[1], with_register]
    kept = [registers[0], *registers[2:]]
    return gl.DistributedLinearLayout([*kept, kept[0]], [*lane, sums], warp, [], list(shape))


def distributed(target, shape):
    """By name: the classes of layouts that a tensor of `shape` can have on `target`."""
    n = lanes_of(target)
    rows = gl.BlockedLayout([1, 4], [n // 8, 8], [4, 1], [1, 0])
    boxes = gl.BlockedLayout([2, 2], [4, n // 4], [2, 2], [0, 1])
    kinds = {
        "rows": rows,
        "columns": gl.BlockedLayout([4, 1], [8, n // 8], [1, 4], [0, 1]),
        "boxes": boxes,
        "single row": gl.BlockedLayout([1, 1], [1, n], [2, 2], [1, 0]),
        "slice": gl.SliceLayout(1, gl.BlockedLayout([1, 2, 2], [4, 2, n // 8], [2, 2, 1], [2, 1, 0])),
        "linear": linear(target, shape),
        "copies": linear_with_copies(target, shape),
        "dependent": dependent(target, shape),
        "fma a": gl.DotOperandLayout(0, boxes),
        "fma b": gl.DotOperandLayout(1, boxes),
    }
    if target.startswith("gfx"):
        version = 3 if target == "gfx942" else 4
        mfma = gl.amd.AMDMFMALayout(version, [16, 16, 16], True, [2, 2])
        kinds |= {
            "mfma 16": mfma,
            "mfma 32": gl.amd.AMDMFMALayout(version, [32, 32, 8], False, [2, 2]),
            "mfma a": gl.DotOperandLayout(0, mfma, 8),
            "mfma b": gl.DotOperandLayout(1, mfma, 4),
        }
    else:
        mma = gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8])
        kinds |= {
            "mma": mma,
            "mma a": gl.DotOperandLayout(0, mma, 2),
            "mma b": gl.DotOperandLayout(1, mma, 2),
        }
        if target == "sm_90a":
            kinds["wgmma"] = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 32, 16])
    return kinds


def shared(shape, element_bits):
    """By name: the classes of layouts that shared memory of `shape` can have."""
    m, n = shape
    rows, columns = m.bit_length() - 1, n.bit_length() - 1
    kinds = {
        "plain": gl.SwizzledSharedLayout(1, 1, 1, [1, 0]),
        "plain columns": gl.SwizzledSharedLayout(1, 1, 1, [0, 1]),
        "swizzled": gl.SwizzledSharedLayout(4, 1, 4, [1, 0]),
        "swizzled columns": gl.SwizzledSharedLayout(2, 2, 8, [0, 1]),
        "padded": gl.PaddedSharedLayout.with_identity_for([[n, 4]], [m, n], [1, 0]),
        "padded twice": gl.PaddedSharedLayout.with_identity_for([[16, 1], [128, 8]], [m, n], [0, 1]),
        "linear": gl.SharedLinearLayout(_bits(1, 0, columns) + [[1 << bit, 1 << bit % columns] for bit in range(rows)]),
    }
    for width in (32, 64, 128):
        if element_bits <= 32 and n * element_bits // 8 >= width and m >= 8:
            kinds[f"nvmma {width}"] = gl.NVMMASharedLayout(width, element_bits)
    return kinds
