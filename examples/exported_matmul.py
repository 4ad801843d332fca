"""Exports a GEMM, and launches it without the compiler.

Run it: python exported_matmul.py

docs/deploy.md shows how a C program launches such a folder on a GPU.
"""

import pathlib
import tempfile

import numpy as np

import hocket


def main():
    random = np.random.default_rng(0)
    a = random.standard_normal((96, 64)).astype(np.float16)
    b = random.standard_normal((64, 128)).astype(np.float16)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "matmul")
        hocket.export(hocket.kernels.matmul, path, a, b, target="sm_90a", emulator=True)
        print("files:", *sorted(file.name for file in path.iterdir()))

        matmul = hocket.load(path)
        print("arguments:", matmul.parameters)
        out = np.empty((96, 128), np.float16)
        matmul(a, b, out)
    print("largest difference from hocket.kernels.matmul:", np.abs(out - hocket.kernels.matmul(a, b)).max())


if __name__ == "__main__":
    main()
