"""Counts the registers of the ready kernels without recording, and with recording to device and to shared memory.

    python benchmarks/record_registers.py [KERNEL ...] [--json FILE]

Needs ptxas (`pip install nvidia-cuda-nvcc`) and no GPU: kernels are compiled for sm_90a with the options that their
host code chooses, and are not launched. The recording variants record stages, partitions, waits and lifetimes of all
warps. `ptxas -v` reports the numbers: registers per lane, and bytes of spill stores.
"""

import argparse
import dataclasses
import pathlib
import re
import subprocess
import tempfile
from collections.abc import Callable

import ml_dtypes
import numpy as np
from interleave import print_table
from results import NO_INPUTS, Results

import hocket
from hocket import _core, kernels
from hocket import language as gl
from hocket.kernels import norms, rowwise
from hocket.profiler.facts import ProfileConfig
from hocket.runtime import compiler, places

TARGET = "sm_90a"
VARIANTS = {
    "none": None,
    "device": ProfileConfig(space="device", waits="auto"),
    "shared": ProfileConfig(space="shared", waits="auto"),
    "flush": ProfileConfig(policy="flush", waits="auto"),
}


@hocket.jit
def vector_add(x, y, out, n):
    i = gl.program_id(0) * 1024 + gl.arange(0, 1024, layout=gl.row_layout(8))
    mask = i < n
    gl.store(out + i, gl.load(x + i, mask=mask) + gl.load(y + i, mask=mask), mask=mask)


def empty(*shape: int, dtype: type = np.float16) -> np.ndarray:
    return np.empty(shape, dtype)


def matmul(m: int, n: int, k: int, dtype: type = np.float16) -> Callable[[], object]:
    return lambda: kernels.matmul(empty(m, k, dtype=dtype), empty(k, n, dtype=dtype))


def attention(size: int, causal: bool) -> Callable[[], object]:
    return lambda: kernels.attention(*(empty(4, 16, 4096, size) for _ in range(3)), causal=causal)


def forward(function: Callable, columns: int, vectors: int) -> Callable[[], object]:
    x = empty(4096, columns, dtype=ml_dtypes.bfloat16)
    weights = [empty(columns, dtype=ml_dtypes.bfloat16) for _ in range(vectors)]
    return lambda: function(x, *weights)


def backward(function: Callable, columns: int, statistics: int) -> Callable[[], object]:
    rows = [empty(4096, columns, dtype=ml_dtypes.bfloat16) for _ in range(2)]
    ones = [empty(4096, dtype=np.float32) for _ in range(statistics)]
    return lambda: function(*rows, empty(columns, dtype=ml_dtypes.bfloat16), *ones)


def add() -> object:
    return vector_add[(1,)](*(empty(1024, dtype=np.float32) for _ in range(3)), 1024)


CASES: dict[str, Callable[[], object]] = {
    "vector add": add,
    "matmul 4096^3": matmul(4096, 4096, 4096),
    "matmul 512^3": matmul(512, 512, 512),
    "matmul 64x4096x4096": matmul(64, 4096, 4096),
    "attention 64": attention(64, False),
    "attention 128": attention(128, False),
    "attention 128, causal": attention(128, True),
    "rms_norm 4096": forward(norms.rms_norm, 4096, 1),
    "rms_norm 16384": forward(norms.rms_norm, 16384, 1),
    "layer_norm 4096": forward(norms.layer_norm, 4096, 2),
    "layer_norm 16384": forward(norms.layer_norm, 16384, 2),
    "rms_norm_backward 4096": backward(norms.rms_norm_backward, 4096, 1),
    "rms_norm_backward 16384": backward(norms.rms_norm_backward, 16384, 1),
    "layer_norm_backward 4096": backward(norms.layer_norm_backward, 4096, 2),
    "layer_norm_backward 16384": backward(norms.layer_norm_backward, 16384, 2),
    "softmax 4096": lambda: rowwise.softmax(empty(4096, 4096)),
    "softmax 65536": lambda: rowwise.softmax(empty(4096, 65536)),
    "softmax_backward 4096": lambda: rowwise.softmax_backward(empty(4096, 4096), empty(4096, 4096)),
    "cross_entropy 32768": lambda: rowwise.cross_entropy(empty(4096, 32768), empty(4096, dtype=np.int64)),
}


class _CapturedError(Exception):
    """Ends a launch before its kernel is compiled."""


def specialization_of(launch: Callable[[], object]) -> tuple:
    """Returns the function, argument types, constexpr values and options of the first kernel that `launch` launches."""
    captured: list[tuple] = []

    def capture(function, types, values, options, place):
        captured.append((function, types, values, options))
        raise _CapturedError

    original = compiler.compile_specialization
    compiler.compile_specialization = capture
    try:
        with hocket.emulator.target(TARGET):
            launch()
    except _CapturedError:
        pass
    finally:
        compiler.compile_specialization = original
    return captured[0]


def registers_of(ptx: str, assembler: str) -> tuple[int, int]:
    """Assembles `ptx`, and returns the number of registers per lane and of bytes of spill stores."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "kernel.ptx")
        source.write_text(ptx)
        command = [assembler, "-v", f"-arch={TARGET}", str(source), "-o", str(source.with_suffix(".cubin"))]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    registers, spilled = re.search(r"Used (\d+) registers", said), re.search(r"(\d+) bytes spill stores", said)
    assert registers and spilled, said
    return int(registers[1]), int(spilled[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="*", metavar="KERNEL", help="beginnings of names; all by default")
    results = Results("record_registers", inputs=NO_INPUTS, method="ptxas -v")
    results.add_option(parser)
    arguments = parser.parse_args()
    compiler.find_assembler()
    name = _core.cubin_assembler("setmaxnreg.")
    if not name.startswith("ptxas ("):
        raise SystemExit("ptxas is missing: pip install nvidia-cuda-nvcc")
    assembler = name.removeprefix("ptxas (").removesuffix(")")
    table = results.table("registers", "registers per lane", "registers", better="lower", ours=tuple(VARIANTS))
    rows = []
    for case, launch in CASES.items():
        if arguments.kernels and not case.startswith(tuple(arguments.kernels)):
            continue
        function, types, values, options = specialization_of(launch)
        counts: dict[str, tuple[int, int]] = {}
        for variant, config in VARIANTS.items():
            profiled = dataclasses.replace(options, profile=config.text() if config else "")
            try:
                kernel = compiler.compile_specialization(
                    function, types, values, profiled, places.COMPILE_ONLY + TARGET
                )
            except hocket.OutOfResources:
                continue  # the kernel leaves no shared memory for records
            counts[variant] = registers_of(kernel.asm["ptx"], assembler)
        plain = counts["none"][0]
        table.add(case, {variant: count for variant, (count, _) in counts.items()}, kernel=function.__name__)
        cells = []
        for variant in VARIANTS:
            if variant not in counts:
                cells.append("-")
                continue
            count, spilled = counts[variant]
            added = "" if variant == "none" else f" ({count - plain:+d})"
            cells.append(f"{count}{added}" + (f", {spilled} bytes spilled" if spilled else ""))
        rows.append([case, function.__name__, *cells])
        print("  ".join(rows[-1]), flush=True)
    print_table(f"Registers per lane, {TARGET}", ["case", "kernel", *VARIANTS], rows)
    results.save(arguments)


if __name__ == "__main__":
    main()
