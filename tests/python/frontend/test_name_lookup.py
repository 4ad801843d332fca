"""Names that a kernel may read: locals, closures, globals."""

import enum
from typing import NamedTuple

import pytest

import hocket.language as gl

pytestmark = pytest.mark.quick

BLOCK = 64
LIMIT = gl.constexpr(7)
DTYPE = gl.float32
LAYOUT = gl.BlockedLayout([1], [32], [4], [0])
SHAPE = (128, "name")


class Mode(enum.Enum):
    FAST = 1
    SLOW = 2


class Config(NamedTuple):
    size: int
    layout: object


CONFIG = Config(128, LAYOUT)


def reads_globals(out):
    i = gl.arange(0, SHAPE[0], LAYOUT)
    if Mode.FAST == Mode.FAST:
        gl.store(out + i, gl.full([CONFIG.size], BLOCK + LIMIT, DTYPE, CONFIG.layout))


def test_plain_constants_and_language_objects(emit, check):
    check(emit(reads_globals, "*f32"), "0 to 128\n7.100000e+01")


def make_kernel(size):
    def kernel(out):
        gl.store(out + gl.arange(0, size, LAYOUT), 1.0)

    return kernel


def test_closures(emit, check):
    check(emit(make_kernel(256), "*f32"), "0 to 256")
    check(emit(make_kernel(512), "*f32"), "0 to 512")


def shadows(out):
    BLOCK = 3
    gl.store(out, BLOCK)


def test_locals_hide_globals(emit, check):
    check(emit(shadows, "*i32"), "constant 3")


def comprehension(out):
    i = 5
    values: gl.constexpr = [i * i for i in range(4) if i != 2]
    gl.static_assert(values == [0, 1, 9])
    pairs: gl.constexpr = [a + b for a, b in ((1, 2), (3, 4))]
    gl.static_assert(pairs == [3, 7])
    gl.store(out, i)


def test_comprehensions_have_their_own_names(emit, check):
    check(emit(comprehension, "*i32"), "%[[i]] = arith.constant 5\nhk.store".replace("%[[i]] = ", ""))


def test_source_with_odd_formatting(emit, check):
    # fmt: off
    def kernel(out,
  n,  # a comment ( with a bracket
               s: gl.constexpr = """text
not indented (
"""):
        """Docstring
    with lines
left of everything"""
        # comment at the margin's left: # def other():
        value = (n
    + 1)
        gl.static_assert(len(s) == 4 and '#' != "(" and \
            True)

        gl.store(out, value)
    # fmt: on

    check(emit(kernel, "*i32, i32", s="four"), "arith.addi\nhk.store")
    assert kernel.__defaults__[0].startswith("text")
