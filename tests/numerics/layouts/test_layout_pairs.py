"""All pairs of layouts: conversions between distributed ones, accesses of shared memory in any shared one.

By default each pair is tested with one shape and dtype, which vary from pair to pair; HOCKET_ALL_LAYOUT_PAIRS=1 (in
`make torture`) tests every pair with five shapes and four dtypes, on the emulated targets or a GPU. Bank conflicts are
compared with what they were (`bank_conflicts.json`, rewritten where HOCKET_UPDATE_BANK_CONFLICTS is set) and with what
the emulator counts.
"""

import json
import os
import pathlib
from itertools import product

import layout_kinds
import ml_dtypes
import numpy as np
import pytest
from drawn_programs import target_of
from tiles import tile_offsets

import hocket
from hocket import _core
from hocket import language as gl

pytestmark = [pytest.mark.usefixtures("unoptimized"), pytest.mark.slow]

SHAPES = [(32, 32), (16, 64), (64, 32), (128, 16), (64, 64)]
DTYPES = {"i8": np.int8, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "i64": np.int64}
GL_DTYPES = {"i8": gl.int8, "bf16": gl.bfloat16, "f32": gl.float32, "i64": gl.int64}
ALL = bool(os.environ.get("HOCKET_ALL_LAYOUT_PAIRS"))
KINDS = sorted({kind for target in layout_kinds.TARGETS for kind in layout_kinds.distributed(target, (64, 64))})
TABLE = pathlib.Path(__file__).parent / "bank_conflicts.json"


def cases(kind, target):
    """Shapes and dtypes to test a kind of layout with."""
    if kind not in layout_kinds.distributed(target, SHAPES[0]):
        pytest.skip(f"no layout of {target}")
    everything = list(product(SHAPES, DTYPES))
    return everything if ALL else [everything[KINDS.index(kind) * 7 % len(everything)]]


def numbers(shape, dtype):
    return (np.random.default_rng(0).permutation(np.prod(shape)).reshape(shape) % 199 - 99).astype(dtype)


@hocket.jit
def convert_kernel(x, out, M: gl.constexpr, N: gl.constexpr, SRC: gl.constexpr, DST: gl.constexpr):
    value = gl.load(x + tile_offsets(M, N, SRC))
    for i in gl.static_range(len(DST)):
        converted = gl.convert_layout(value, DST[i])
        place = tile_offsets(M, N, DST[i])
        # A store writes each element once; the assertion sees the copies too.
        gl.device_assert(converted == gl.load(x + place), "a lane holds another element")
        gl.store(out + i * (M * N) + place, converted)


@pytest.mark.parametrize("kind", KINDS)
def test_conversions(every_device, kind):
    target = target_of(every_device)
    for shape, dtype in cases(kind, target):
        kinds = layout_kinds.distributed(target, shape)
        x = numbers(shape, DTYPES[dtype])
        out = every_device.to_device(np.zeros((len(kinds), *shape), x.dtype))
        given = every_device.to_device(x)
        convert_kernel[(1,)](given, out, *shape, kinds[kind], tuple(kinds.values()), debug=True)
        for name, result in zip(kinds, every_device.to_host(out), strict=True):
            np.testing.assert_array_equal(result, x, f"to {name}, {shape}, {dtype}")


@hocket.jit
def shared_kernel(x, out, M: gl.constexpr, N: gl.constexpr, SRC: gl.constexpr, SHARED: gl.constexpr):
    place = tile_offsets(M, N, SRC)
    value = gl.load(x + place)
    for i in gl.static_range(len(SHARED)):
        smem = gl.allocate_shared_memory(x.dtype.element_ty, [M, N], SHARED[i])
        smem.store(value)
        loaded = smem.load(SRC)
        gl.device_assert(loaded == value, "a lane holds another element")
        gl.store(out + i * (M * N) + place, loaded)


@hocket.jit
def from_shared_kernel(
    x, out, M: gl.constexpr, N: gl.constexpr, ROWS: gl.constexpr, SHARED: gl.constexpr, DST: gl.constexpr
):
    """Stored in one layout, loaded in another: both agree on where elements lie."""
    place = tile_offsets(M, N, DST)
    value = gl.load(x + tile_offsets(M, N, ROWS))
    for i in gl.static_range(len(SHARED)):
        smem = gl.allocate_shared_memory(x.dtype.element_ty, [M, N], SHARED[i], value=value)
        gl.store(out + i * (M * N) + place, smem.load(DST))


@pytest.mark.parametrize("kind", KINDS)
def test_shared_memory(every_device, kind):
    target = target_of(every_device)
    for shape, dtype in cases(kind, target):
        kinds = layout_kinds.distributed(target, shape)
        x = numbers(shape, DTYPES[dtype])
        shared = layout_kinds.shared(shape, x.dtype.itemsize * 8)
        given = every_device.to_device(x)
        out, again = (every_device.to_device(np.zeros((len(shared), *shape), x.dtype)) for _ in range(2))
        shared_kernel[(1,)](given, out, *shape, kinds[kind], tuple(shared.values()), debug=True)
        from_shared_kernel[(1,)](given, again, *shape, kinds["rows"], tuple(shared.values()), kinds[kind])
        out, again = every_device.to_host(out), every_device.to_host(again)
        for i, name in enumerate(shared):
            np.testing.assert_array_equal(out[i], x, f"{name}, {shape}, {dtype}")
            np.testing.assert_array_equal(again[i], x, f"rows, then {name}, {shape}, {dtype}")


# Bank conflicts ------------------------------------------------------------------------------------------------------

CONFLICT_SHAPE = (64, 64)


@hocket.jit
def one_access_kernel(x, out, M: gl.constexpr, N: gl.constexpr, SRC: gl.constexpr, SHARED: gl.constexpr):
    place = tile_offsets(M, N, SRC)
    smem = gl.allocate_shared_memory(x.dtype.element_ty, [M, N], SHARED)
    smem.store(gl.load(x + place))
    gl.store(out + place, smem.load(SRC))


def static_conflicts(target, dtype):
    shape = list(CONFLICT_SHAPE)
    table = {}
    shared = layout_kinds.shared(shape, np.dtype(DTYPES[dtype]).itemsize * 8)
    for (kind, layout), (name, place) in product(layout_kinds.distributed(target, shape).items(), shared.items()):
        tensor = gl.distributed_type(GL_DTYPES[dtype], shape, layout)
        memory = gl.shared_memory_descriptor_type(GL_DTYPES[dtype], shape, place)
        table[f"{kind}, {name}"] = [
            gl.bank_conflicts(tensor, memory, access, target=target) for access in ("store", "load")
        ]
    return table


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("target", layout_kinds.TARGETS)
def test_bank_conflicts_are_what_they_were(target, dtype):
    counts = static_conflicts(target, dtype)
    tables = json.loads(TABLE.read_text()) if TABLE.exists() else {}
    if os.environ.get("HOCKET_UPDATE_BANK_CONFLICTS"):
        tables.setdefault(target, {})[dtype] = counts
        TABLE.write_text(json.dumps(tables, indent=1, sort_keys=True).replace("[\n    ", "[") + "\n")
    assert tables[target][dtype] == counts


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("target", layout_kinds.TARGETS)
def test_the_emulator_counts_the_same_conflicts(target, kind):
    kinds = layout_kinds.distributed(target, CONFLICT_SHAPE)
    if kind not in kinds:
        pytest.skip("no layout of this target")
    dtypes = list(DTYPES) if ALL else [list(DTYPES)[KINDS.index(kind) % len(DTYPES)]]
    for dtype in dtypes:
        x = numbers(CONFLICT_SHAPE, DTYPES[dtype])
        shared = layout_kinds.shared(CONFLICT_SHAPE, x.dtype.itemsize * 8)
        names = list(shared) if ALL else list(shared)[KINDS.index(kind) % 3 :: 3]
        for name in names:
            tensor = gl.distributed_type(GL_DTYPES[dtype], list(CONFLICT_SHAPE), kinds[kind])
            memory = gl.shared_memory_descriptor_type(GL_DTYPES[dtype], list(CONFLICT_SHAPE), shared[name])
            with hocket.emulator.target(target, races=False), hocket.emulator.count_bank_conflicts() as counted:
                out = np.zeros_like(x)
                one_access_kernel[(1,)](x, out, *CONFLICT_SHAPE, kinds[kind], shared[name])
            for access in ("store", "load"):
                entries = [entry for entry in counted.entries if entry.access == access]
                warps = _core.bank_wavefronts(tensor, memory, access, target)
                assert (sum(entry.wavefronts for entry in entries), sum(entry.ideal for entry in entries)) == tuple(
                    map(sum, zip(*warps, strict=True))
                ), f"{kind}, {name}, {dtype}, {access}"
