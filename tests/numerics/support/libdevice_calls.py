"""Calls of functions of libdevice on 512 numbers, special values among them."""

import numpy as np

import hocket
from hocket import language as gl
from hocket.language.extra import libdevice

N = 512
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 1e-30, -1e-30, 1e30, np.inf, -np.inf, np.nan, 0.49999997]


@hocket.jit
def unary_kernel(x, out, FUNCTION: gl.constexpr):
    i = gl.arange(0, 512, gl.row_layout())
    gl.store(out + i, FUNCTION(gl.load(x + i)))


@hocket.jit
def binary_kernel(x, y, out, FUNCTION: gl.constexpr):
    i = gl.arange(0, 512, gl.row_layout())
    gl.store(out + i, FUNCTION(gl.load(x + i), gl.load(y + i)))


def numbers(seed, low=-8.0, high=8.0, special=True):
    x = np.random.default_rng(seed).uniform(low, high, N).astype(np.float32)
    if special:
        x[: len(SPECIAL)] = np.random.default_rng(seed).permutation(SPECIAL)
    return x


def run(device, name, dtype, *inputs):
    out = device.to_device(np.zeros(N, dtype))
    kernel = unary_kernel if len(inputs) == 1 else binary_kernel
    kernel[(1,)](*map(device.to_device, inputs), out, getattr(libdevice, name))
    return device.to_host(out)
