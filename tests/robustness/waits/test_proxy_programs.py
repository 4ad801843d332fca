"""A quick part of proxy_programs.py, and what its judge says of programs that are known."""

import pytest
from proxy_judge import Judge, unneeded_fences
from proxy_programs import check

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("seed", [1, 11, 18, 26])
def test_a_random_program(seed):
    assert list(check(seed)) == []


TILE = "!hk.memdesc<64x64xf16, #s>"


def kernel(*lines):
    text = [
        "func.func @kernel(%x: tensor<64x64xf16, #b>, %acc: tensor<64x64xf32, #m>) attributes {hk.kernel} {",
        f"%t = hk.local_alloc offset = 0 : () -> {TILE}",
        *lines,
        "return",
        "}",
    ]
    return "\n".join(text)


STORE = f"hk.local_store %x, %t : tensor<64x64xf16, #b> -> {TILE}"
MMA = f"%d = hk_nv.warpgroup_mma %t, %t, %acc : {TILE}, {TILE} -> tensor<64x64xf32, #m>"
FENCE, BARRIER = "hk.proxy_fence", "hk.barrier local"


@pytest.mark.parametrize(
    ("lines", "is_missing"),
    [
        ((STORE, FENCE, BARRIER, MMA), False),
        ((STORE, BARRIER, MMA), True),
        ((FENCE, STORE, BARRIER, MMA), True),
        ((STORE, BARRIER, FENCE, MMA), True),  # too late for the other lanes
        ((STORE, BARRIER, FENCE, BARRIER, MMA), False),
        ((STORE, "hk.proxy_fence global", BARRIER, MMA), True),
        ((MMA, BARRIER, STORE), False),
    ],
)
def test_the_judge(lines, is_missing):
    assert bool(Judge(kernel(*lines), {}, {}).missing) == is_missing


def test_the_judge_finds_what_is_not_needed():
    text = kernel(STORE, FENCE, BARRIER, MMA, STORE, FENCE, BARRIER)
    _, second = Judge.fences_of(text)
    assert unneeded_fences(text, {}, [{}]) == [second]
