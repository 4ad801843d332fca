"""hocket.kernels.attention_paged on Hopper against NumPy: sizes of pages, lengths, splits, mistakes."""

import numpy as np
import pytest
from attention_reference import check_packed, packed_inputs

from hocket import emulator
from hocket.errors import LaunchError
from hocket.kernels import attention_paged
from hocket.kernels._attention import host_paged
from hocket.launch_cache import LaunchCache

pytestmark = pytest.mark.usefixtures("unoptimized")

#: (queries, keys) of each sequence.
SEQUENCES = ((1, 300), (2, 17), (0, 5), (3, 128), (1, 0))


def in_pages(array, starts, page_size, seed=0):
    """Returns the pages of packed rows, and the block table. Rows that belong to no sequence are NaN, and unused
    entries of the table are far outside."""
    lengths = np.diff(starts)
    counts = -(-lengths // page_size)
    order = np.random.default_rng(seed).permutation(int(counts.sum()) + 2)
    pages = np.full((len(order), page_size, *array.shape[1:]), np.nan, array.dtype)
    table = np.full((len(lengths), max(int(counts.max()), 1) + 1), 1 << 30, np.int32)
    used = 0
    for i, (start, length) in enumerate(zip(starts, lengths, strict=False)):
        for j in range(counts[i]):
            table[i, j] = order[used]
            rows = array[start + j * page_size : min(start + (j + 1) * page_size, start + length)]
            pages[order[used], : len(rows)] = rows
            used += 1
    return pages, table


def run_paged(device, arrays, starts, page_size, longest, **options):
    q, k, v = arrays
    (k_pages, table), (v_pages, _) = (in_pages(x, starts[1], page_size) for x in (k, v))
    arguments = q, k_pages, v_pages, table, np.diff(starts[1]).astype(np.int32), starts[0]
    results = attention_paged(*map(device.to_device, arguments), longest, return_lse=True, **options)
    return tuple(map(device.to_host, results))


@pytest.mark.parametrize(
    "form", [(16, 64, True), (32, 128, False), (64, 128, True), (128, 64, False), (256, 128, True)]
)
def test_pages(hopper_device, form):
    page_size, head_size, causal = form
    arrays, starts = packed_inputs(SEQUENCES, 4, 2, head_size)
    check_packed(*run_paged(hopper_device, arrays, starts, page_size, 3, causal=causal), arrays, starts, causal)


@pytest.mark.parametrize(
    "form", [(1, 64, True), (1, 128, False), (2, 128, True), (5, 64, False), (8, 128, True), (48, 64, True)]
)
def test_pages_that_are_copied_by_rows(hopper_device, form):
    page_size, head_size, causal = form
    arrays, starts = packed_inputs(SEQUENCES, 4, 2, head_size, "bfloat16")
    check_packed(*run_paged(hopper_device, arrays, starts, page_size, 3, causal=causal), arrays, starts, causal)


@pytest.mark.parametrize("seed, completion", [(1, "random"), (2, "now"), (3, "late")])
def test_pages_of_one_key_in_every_schedule(monkeypatch, seed, completion):
    """Each of two CTAs processes several tiles."""
    counter = np.zeros(1, np.int32)
    monkeypatch.setattr("hocket.kernels._attention.host_varlen_nvidia.counters_for", lambda array: counter)
    monkeypatch.setattr("hocket.kernels._attention.host_nvidia.MULTIPROCESSORS", 2)
    monkeypatch.setattr(host_paged, "_launches", LaunchCache(host_paged._launches.prepare))
    arrays, starts = packed_inputs(((2, 300), (1, 17), (70, 140), (100, 90)), 4, 2, 64)
    (k_pages, table), (v_pages, _) = (in_pages(x, starts[1], 1) for x in arrays[1:])
    arguments = arrays[0], k_pages, v_pages, table, np.diff(starts[1]).astype(np.int32), starts[0], 100
    with emulator.target("sm_90a"):
        expected = attention_paged(*arguments, return_lse=True)
    with emulator.target("sm_90a", seed=seed, completion=completion):
        results = attention_paged(*arguments, return_lse=True)
    assert all(np.array_equal(*pair) for pair in zip(results, expected, strict=True))
    check_packed(*results, arrays, starts)
    assert counter == [0]


@pytest.mark.parametrize("page_size", [16, 5])
@pytest.mark.parametrize("form", ["pages hold both", "rows hold both", "heads first"])
def test_caches_with_other_strides(hopper_device, form, page_size):
    """Five heads share keys, which no tile of packed heads can hold."""
    arrays, starts = packed_inputs(SEQUENCES, 10, 2, 64)
    q, k, v = arrays
    (k, table), (v, _) = (in_pages(x, starts[1], page_size) for x in (k, v))
    if form == "heads first":
        swapped = [np.ascontiguousarray(x.swapaxes(1, 2)) for x in (k, v)]
        pages = [hopper_device.to_device(x).swapaxes(1, 2) for x in swapped]
    elif form == "pages hold both":
        both = hopper_device.to_device(np.stack([k, v], axis=1))
        pages = both[:, 0], both[:, 1]
    else:
        both = hopper_device.to_device(np.concatenate([k, v], axis=3))
        pages = both[..., :64], both[..., 64:]
    numbers = map(hopper_device.to_device, (table, np.diff(starts[1]).astype(np.int32), starts[0]))
    result = attention_paged(hopper_device.to_device(q), *pages, *numbers, 3, window=(40, 0))
    check_packed(hopper_device.to_host(result), None, arrays, starts, window=(40, 0))


def test_many_queries(hopper_device):
    arrays, starts = packed_inputs(((100, 150), (5, 40)), 2, 1, 64)
    for page_size in (64, 4):
        check_packed(*run_paged(hopper_device, arrays, starts, page_size, 100, causal=True), arrays, starts, True)


def test_without_queries_or_sequences():
    pages, table, none = np.zeros((4, 16, 1, 64), "f2"), np.zeros((1, 4), "i4"), np.zeros(1, "i4")
    with emulator.target("sm_90a"):
        result, sums = attention_paged(
            np.zeros((0, 2, 64), "f2"), pages, pages, table, none, np.zeros(2, "i4"), 0, return_lse=True
        )
        assert result.shape == (0, 2, 64) and sums.shape == (2, 0)
        out = np.full((3, 2, 64), 7, "f2")
        attention_paged(out.copy(), pages, pages, table[:0], none[:0], none, 0, out)
        assert (out == 7).all()


def test_mistakes():
    zeros = np.zeros
    good = [zeros((3, 2, 64), "f2"), zeros((4, 16, 1, 64), "f2"), zeros((4, 16, 1, 64), "f2"), zeros((1, 4), "i4")]
    good += [zeros(1, "i4"), np.array([0, 3], "i4"), 3]
    cases = (
        (
            1,
            zeros((4, 16, 64), "f2"),
            "k_pages must be .pages, page size, key heads, D. with elements, not .4, 16, 64.",
        ),
        (3, zeros((1, 4), "i8"), "block_table must be contiguous int32 of .sequences, pages., but it is int64"),
        (4, zeros(2, "i4"), "block_table is of 1 sequences, key_lengths of 2, cu_seqlens_q of 1"),
        (6, -1, "max_seqlen_q must be the number of queries of the longest sequence, not -1"),
    )
    with emulator.target("sm_90a"):
        for index, bad, message in cases:
            arguments = [bad if i == index else x for i, x in enumerate(good)]
            with pytest.raises(LaunchError, match=f"attention_paged: {message}"):
                attention_paged(*arguments)
        with pytest.raises(LaunchError, match="attention_paged: scale must not be negative on sm_90a"):
            attention_paged(*good, scale=-1.0)
        with pytest.raises(LaunchError, match=r"out must have the shape of q, \[3, 2, 64\], not \[3, 128\]"):
            attention_paged(*good, zeros((3, 128), "f2"))
        with pytest.raises(LaunchError, match="attention_paged: out is float32; on sm_90a, it must have the dtype of"):
            attention_paged(*good, zeros((3, 2, 64), "f4"))
    with emulator.target("gfx950"), pytest.raises(LaunchError, match="attention_paged has no kernel for gfx950 yet"):
        attention_paged(*good)
