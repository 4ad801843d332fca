"""print and device_print in kernels on the emulator."""

import numpy as np
import pytest

import hocket
from hocket import language as gl


@hocket.jit
def show(x, n, SIZE: gl.constexpr, HEX: gl.constexpr):
    layout: gl.constexpr = gl.row_layout(2)
    gl.device_print("x:", gl.load(x + gl.arange(0, SIZE, layout=layout)), n, hex=HEX)


def printed(capfd, launch) -> list[str]:
    capfd.readouterr()
    launch()
    return capfd.readouterr().out.splitlines()


def test_each_element_once(capfd, target="gfx950"):
    """Elements that several registers, lanes and warps hold are printed by the first of them."""
    x = np.arange(4, dtype=np.float32) / 2
    with hocket.emulator.target(target):
        lines = printed(capfd, lambda: show[(2,)](x, -7, SIZE=4, HEX=False))
    assert lines == [
        "block (0, 0, 0), warp 0, lane 0: [0] x: 0 -7",
        "block (0, 0, 0), warp 0, lane 0: [1] x: 0.5 -7",
        "block (0, 0, 0), warp 0, lane 1: [2] x: 1 -7",
        "block (0, 0, 0), warp 0, lane 1: [3] x: 1.5 -7",
        "block (1, 0, 0), warp 0, lane 0: [0] x: 0 -7",
        "block (1, 0, 0), warp 0, lane 0: [1] x: 0.5 -7",
        "block (1, 0, 0), warp 0, lane 1: [2] x: 1 -7",
        "block (1, 0, 0), warp 0, lane 1: [3] x: 1.5 -7",
    ]


@pytest.mark.parametrize(
    ("dtype", "value", "text", "bits"),
    [
        (np.int8, -3, "-3", "0x000000fd"),
        (np.uint8, 200, "200", "0x000000c8"),
        (np.uint32, 2**32 - 1, "4294967295", "0xffffffff"),
        (np.int64, -(2**62), "-4611686018427387904", "0xc000000000000000"),
        (np.uint64, 2**64 - 1, "18446744073709551615", "0xffffffffffffffff"),
        (np.bool_, True, "1", "0x00000001"),
        (np.float16, 1.5, "1.5", "0x00003e00"),
        (np.float32, -0.25, "-0.25", "0xbe800000"),
        (np.float64, 1 / 3, "0.333333333333", "0x3fd5555555555555"),
    ],
)
def test_types(capfd, dtype, value, text, bits):
    x = np.full(2, value, dtype)
    for is_hex, expected in ((False, f"{text} 5"), (True, f"{bits} 0x00000005")):
        first, _ = printed(capfd, lambda: show[(1,)](x, 5, SIZE=2, HEX=is_hex))  # noqa: B023
        assert first == f"block (0, 0, 0), warp 0, lane 0: [0] x: {expected}"


@hocket.jit
def say(n, N: gl.constexpr):
    print("N is", N)
    print("100% {n}:", n, "of", N)
    print(n)
    if n > 5:
        print("from every block", n * 0 + gl.program_id(0))


def test_print_of_numbers_that_are_known_and_unknown(capfd):
    lines = printed(capfd, lambda: say[(2,)](7, N=9))
    assert lines == [
        "N is 9",
        "block (0, 0, 0), warp 0, lane 0: 100% {n}: 7 of 9",
        "block (0, 0, 0), warp 0, lane 0: 7",
        "block (0, 0, 0), warp 0, lane 0: from every block 0",
        "block (1, 0, 0), warp 0, lane 0: 100% {n}: 7 of 9",
        "block (1, 0, 0), warp 0, lane 0: 7",
        "block (1, 0, 0), warp 0, lane 0: from every block 1",
    ]


@hocket.jit
def say_of_large_ones(a):
    if a > 61:
        print("large", a)
    return a + 1


@hocket.jit
def say_for_elements(out, LAYOUT: gl.constexpr):
    i = gl.arange(0, 64, layout=LAYOUT)
    gl.store(out + i, gl.map_elementwise(say_of_large_ones, i))


@pytest.mark.parametrize(
    ("layout", "holders"),
    [
        (gl.BlockedLayout([1], [32], [4], [0]), ["warp 1, lane 30", "warp 1, lane 31"]),
        (gl.BlockedLayout([4], [32], [4], [0]), ["warp 0, lane 15", "warp 0, lane 15"]),
        (gl.SliceLayout(0, gl.BlockedLayout([2, 1], [2, 16], [1, 4], [1, 0])), ["warp 3, lane 14", "warp 3, lane 15"]),
    ],
    ids=["one", "warps repeat", "registers and lanes repeat"],
)
def test_a_function_prints_for_each_element_once(capfd, layout, holders):
    with hocket.emulator.target("sm_80"):
        lines = printed(capfd, lambda: say_for_elements[(1,)](np.zeros(64, np.int32), LAYOUT=layout))
    assert lines == [f"block (0, 0, 0), {place}: large {62 + i}" for i, place in enumerate(holders)]


@hocket.jit
def say_and_add(a, b):
    print("adds", a, b)
    return a + b


@hocket.jit
def say_of_each_sum(out):
    layout: gl.constexpr = gl.row_layout(4)
    gl.store(out, gl.reduce(gl.arange(0, 4, layout=layout), 0, say_and_add))


def test_each_lane_prints_what_it_combines(capfd):
    lines = printed(capfd, lambda: say_of_each_sum[(1,)](np.zeros(1, np.int32), num_warps=1))
    lanes = {line.partition(": ")[0] for line in lines}
    assert len(lanes) == 32
    for lane in lanes:
        assert f"{lane}: adds 0 1" in lines


@hocket.jit
def say_in_a_loop(n):
    for i in range(n):
        print("step", i)


def test_a_launch_shows_so_much_and_says_how_much_more(capfd):
    lines = printed(capfd, lambda: say_in_a_loop[(4,)](3000))
    assert len(lines) == 4097
    assert lines[2999] == "block (0, 0, 0), warp 0, lane 0: step 2999"
    assert lines[4095] == "block (1, 0, 0), warp 0, lane 0: step 1095"
    assert lines[4096] == "(7904 more lines were dropped; a launch can print up to 4096 lines)"


@hocket.jit
def say_then_fail(n):
    print("n is", n)
    assert n < 0, "n must be negative"


def test_what_was_printed_before_a_failure(capfd):
    capfd.readouterr()
    with pytest.raises(hocket.errors.DeviceAssertError, match="n must be negative"):
        say_then_fail[(1,)](3)
    assert capfd.readouterr().out == "block (0, 0, 0), warp 0, lane 0: n is 3\n"


@hocket.jit
def say_and_store(out):
    gl.store(out, 1)


def test_check_prints_the_first_schedule_only(capfd):
    def launch():
        say_in_a_loop[(1,)](1)
        say_and_store[(1,)](out := np.zeros(1, np.int32))
        return out

    assert hocket.check(launch, schedules=5).ok
    assert capfd.readouterr().out.count("step 0") == 1
