"""Adds two vectors: the smallest whole program. `python vector_add.py` runs it on the emulator."""

import numpy as np

import hocket
from hocket import language as gl


@hocket.jit
def add(x, y, out, n, BLOCK: gl.constexpr):
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK)
    mask = i < n
    gl.store(out + i, gl.load(x + i, mask=mask) + gl.load(y + i, mask=mask), mask=mask)


def main():
    x, y = np.random.default_rng(0).standard_normal((2, 98432), dtype=np.float32)
    out = np.empty_like(x)
    add[(hocket.cdiv(x.size, 1024),)](x, y, out, x.size, BLOCK=1024)
    print("largest difference from NumPy:", np.abs(out - (x + y)).max())


if __name__ == "__main__":
    main()
