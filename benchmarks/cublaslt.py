"""The algorithms of cuBLASLt for a GEMM, through ctypes: PyTorch runs only the first one that the heuristic returns.

    for run in algorithms(a, b, out, (False, True)):
        run()  # writes a x b to out

The numbers of enumerators are those of cublasLt.h and library_types.h of CUDA 12 and 13.
"""

from __future__ import annotations

import ctypes
from ctypes import byref, c_float, c_int, c_int32, c_int64, c_size_t, c_uint64, c_void_p

import torch

#: cudaDataType of operands and results.
DATA_TYPES = {torch.float32: 0, torch.float16: 2, torch.bfloat16: 14, torch.float8_e4m3fn: 28, torch.float8_e5m2: 29}
COMPUTE_32F = 68
OF_DESCRIPTOR = {
    "transpose_a": (3, c_int32),
    "transpose_b": (4, c_int32),
    "scale_a": (17, c_void_p),
    "scale_b": (18, c_void_p),
    "fast_accumulation": (25, ctypes.c_int8),
}
BATCH_COUNT, BATCH_STRIDE, MOST_WORKSPACE = 5, 6, 1

#: Bytes of the workspace, as in PyTorch on Hopper.
WORKSPACE_BYTES = 32 << 20


class HeuristicResult(ctypes.Structure):
    _fields_ = [
        ("algorithm", c_uint64 * 8),
        ("workspace_bytes", c_size_t),
        ("state", c_int),
        ("waves", c_float),
        ("reserved", c_int * 4),
    ]


class Library:
    """cuBLASLt as PyTorch has loaded it, a handle and a workspace."""

    def __init__(self) -> None:
        torch.cuda.init()
        major = (torch.version.cuda or "").partition(".")[0]
        self.functions = ctypes.CDLL(f"libcublasLt.so.{major}")
        self.handle = c_void_p()
        self.call("Create", byref(self.handle))
        self.workspace = torch.empty(WORKSPACE_BYTES, dtype=torch.uint8, device="cuda")
        self.one = torch.ones((), device="cuda")

    def call(self, name: str, *arguments: object) -> None:
        if status := getattr(self.functions, f"cublasLt{name}")(*arguments):
            raise RuntimeError(f"cublasLt{name} returned the status {status}")


class Gemm:
    """The descriptors of a GEMM of row-major matrices. cuBLASLt has column-major matrices and computes B^T x A^T."""

    def __init__(self, library: Library, a, b, out, transposed: tuple[bool, bool]):
        self.library, self.arrays = library, (a, b, out)
        batch = out.shape[0] if out.dim() == 3 else 1
        (m, n), k = out.shape[-2:], a.shape[-1]
        self.descriptor = c_void_p()
        library.call("MatmulDescCreate", byref(self.descriptor), COMPUTE_32F, DATA_TYPES[torch.float32])
        self.set("transpose_a", int(transposed[1]))
        self.set("transpose_b", int(transposed[0]))
        if a.element_size() == 1:
            self.set("scale_a", library.one.data_ptr())
            self.set("scale_b", library.one.data_ptr())
            self.set("fast_accumulation", 1)
        self.layouts = [
            self.layout(b, *((k, n) if transposed[1] else (n, k)), batch),
            self.layout(a, *((m, k) if transposed[0] else (k, m)), batch),
            self.layout(out, n, m, batch),
        ]

    def set(self, name: str, value: int) -> None:
        number, kind = OF_DESCRIPTOR[name]
        holder = kind(value)
        size = c_size_t(ctypes.sizeof(kind))
        self.library.call("MatmulDescSetAttribute", self.descriptor, number, byref(holder), size)

    def layout(self, array, rows: int, columns: int, batch: int) -> c_void_p:
        layout = c_void_p()
        sizes = c_uint64(rows), c_uint64(columns), c_int64(rows)
        self.library.call("MatrixLayoutCreate", byref(layout), DATA_TYPES[array.dtype], *sizes)
        for number, value in ((BATCH_COUNT, c_int32(batch)), (BATCH_STRIDE, c_int64(rows * columns))):
            size = c_size_t(ctypes.sizeof(value))
            self.library.call("MatrixLayoutSetAttribute", layout, number, byref(value), size)
        return layout

    def heuristics(self, most: int) -> list[HeuristicResult]:
        """Returns the first algorithms of the heuristic, at most `most`."""
        preference, found, count = c_void_p(), (HeuristicResult * most)(), c_int()
        self.library.call("MatmulPreferenceCreate", byref(preference))
        size = c_uint64(WORKSPACE_BYTES)
        self.library.call("MatmulPreferenceSetAttribute", preference, MOST_WORKSPACE, byref(size), c_size_t(8))
        b, a, out = self.layouts
        arguments = self.library.handle, self.descriptor, b, a, out, out, preference, most, found, byref(count)
        self.library.call("MatmulAlgoGetHeuristic", *arguments)
        self.library.call("MatmulPreferenceDestroy", preference)
        return [result for result in found[: count.value] if result.state == 0]

    def run(self, algorithm: HeuristicResult) -> None:
        a, b, out = (c_void_p(array.data_ptr()) for array in self.arrays)
        of_b, of_a, of_out = self.layouts
        workspace = c_void_p(self.library.workspace.data_ptr()), c_size_t(WORKSPACE_BYTES)
        stream = c_void_p(torch.cuda.current_stream().cuda_stream)
        self.library.call(
            "Matmul", self.library.handle, self.descriptor, byref(c_float(1)), b, of_b, a, of_a, byref(c_float(0)),
            out, of_out, out, of_out, byref(algorithm), *workspace, stream,
        )  # fmt: skip

    def __del__(self) -> None:
        for layout in self.layouts:
            self.library.call("MatrixLayoutDestroy", layout)
        self.library.call("MatmulDescDestroy", self.descriptor)


_library: Library | None = None


def algorithms(a, b, out, transposed: tuple[bool, bool], most: int = 8) -> list:
    """Returns functions without arguments that write a x b to `out`, one for each algorithm of the heuristic.

    All arrays are matrices, or batches of the same number of matrices. They are contiguous or, if `transposed`, the
    transpose of a contiguous array. float8 needs A with contiguous rows and B with contiguous columns.
    """
    global _library
    _library = _library or Library()
    gemm = Gemm(_library, a, b, out, transposed)
    return [lambda result=result: gemm.run(result) for result in gemm.heuristics(most)]


__all__ = ["algorithms"]
