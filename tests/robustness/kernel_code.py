"""Compiles the ready kernels for CDNA in many forms, and reads their machine code: what is spilled, which accesses of
LDS have bank conflicts, and where compute stages wait between MFMAs. LLVM's verifier checks the code after each of
Hocket's passes over it.

    python tests/robustness/kernel_code.py [--only attention]

Forms are those that the public functions launch: arrays of other dtypes, orders, sizes with tails, few tiles, shared
heads. Nothing is launched. Ends with 1 if anything is found, after a line for each.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import tempfile
from typing import NamedTuple

import ml_dtypes
import numpy as np

import hocket
from hocket.isa.loops import instructions_of_amd, loops_of
from hocket.kernels import attention, attention_varlen, matmul, matmul_scaled, norms, shuffle_scales
from hocket.kernels._attention import host_cdna as attention_cdna
from hocket.kernels._matmul import host_cdna as matmul_cdna
from hocket.kernels._matmul import host_scaled as scaled_host
from hocket.kernels.norms import launch as norms_launch

TARGETS = ("gfx942", "gfx950")


class Compiled(NamedTuple):
    """A launch that was compiled instead."""

    form: str
    kernel: object


class Recorder:
    """Replaces a kernel: compiles the launched kernels without running them."""

    def __init__(self, kernel, record):
        self.kernel, self.record = kernel, record

    def __getitem__(self, grid):
        def compile_launch(*arguments, **options):
            options.pop("stream", None)
            self.record(self.kernel.warmup(*arguments, target=hocket.emulator.current_target(), **options))

        return compile_launch


def zeros(*shape, dtype="float16"):
    kind = getattr(ml_dtypes, dtype, None) or dtype
    return np.zeros(shape, kind)


def products(target):
    """(form, function that launches it)."""
    sizes = [(4096,) * 3, (4096, 4096, 1000), (300, 520, 4104), (512, 512, 8192), (16, 4096, 4096), (257, 33, 65)]
    orders = list(itertools.product((False, True), repeat=2))
    for dtype, (m, n, k), (a_turned, b_turned) in itertools.product(matmul_cdna.ELEMENTS[target], sizes, orders):
        a = zeros(k, m, dtype=dtype).T if a_turned else zeros(m, k, dtype=dtype)
        b = zeros(n, k, dtype=dtype).T if b_turned else zeros(k, n, dtype=dtype)
        form = f"matmul {dtype} {m} x {n} x {k}, {'A^T' if a_turned else 'A'} {'B^T' if b_turned else 'B'}"
        yield form, lambda a=a, b=b: matmul(a, b)
        if dtype == "bfloat16" and not a_turned and b_turned:
            bias = zeros(n, dtype="float32")
            yield f"{form}, bias, GELU", lambda a=a, b=b, bias=bias: matmul(a, b, bias=bias, activation="gelu_tanh")
            batch = np.broadcast_to(a, (3, *a.shape)), np.broadcast_to(b, (3, *b.shape))
            yield f"{form}, 3 at a time", lambda batch=batch: matmul(*batch)


def scaled_products(target):
    if target not in scaled_host.TARGETS:
        return
    sizes = [(4096, 4096, 4096), (4096, 4096, 1056), (300, 520, 2080), (128, 128, 256)]
    for (dtype, elements), (m, n, k) in itertools.product(scaled_host.FORMATS.items(), sizes):
        stored = k // elements.per_byte
        a, b = zeros(m, stored, dtype=dtype), zeros(n, stored, dtype=dtype).T
        scales = [shuffle_scales(np.zeros((rows, k // 32), np.uint8)) for rows in (m, n)]
        if stored % 16 == 0:
            form = f"matmul_scaled {dtype} {m} x {n} x {k}"
            yield form, lambda a=a, b=b, scales=scales: matmul_scaled(a, scales[0], b, scales[1])


def attentions(target):
    # Batches, heads, heads of keys, queries, keys.
    shapes = [(4, 16, 16, 4096, 4096), (1, 3, 3, 4096, 4096), (2, 32, 4, 2048, 2048)]
    shapes += [(1, 7, 7, 1000, 1003), (8, 8, 1, 100, 777)]
    forms = itertools.product(("float16", "bfloat16"), (64, 128), (False, True), (False, True), shapes)
    for dtype, size, causal, pipelined, (batch, heads, key_heads, queries, keys) in forms:
        q = zeros(batch, heads, queries, size, dtype=dtype)
        k = zeros(batch, key_heads, keys, size, dtype=dtype)
        options = {"causal": causal, "pipelined": pipelined}
        words = f"{dtype} D {size}{', causal' if causal else ''}{', pipelined' if pipelined else ''}"
        form = f"attention {words}, {batch} x {heads}/{key_heads} heads, {queries} queries, {keys} keys"
        yield form, lambda q=q, k=k, options=options: attention(q, k, k, **options)
        if heads == 7:
            by_rows = [np.moveaxis(array[0], 0, 1) for array in (q, k)]
            starts = np.array([0, queries], np.int32), np.array([0, keys], np.int32)
            arguments = by_rows[0], by_rows[1], by_rows[1], *starts, queries
            yield (
                f"attention_varlen {words}",
                lambda arguments=arguments, options=options: attention_varlen(*arguments, **options),
            )


def normalizations(target):
    columns_of_rows = 256, 1000, 4096, 8192, 12288, 32768, 50000
    for dtype, columns, rows in itertools.product(("bfloat16", "float32"), columns_of_rows, (4, 8192)):
        x, weight = np.broadcast_to(zeros(1, columns, dtype=dtype), (rows, columns)).copy(), zeros(columns, dtype=dtype)
        form = f"{dtype} {rows} x {columns}"
        yield f"rms_norm {form}", lambda x=x, weight=weight: norms.rms_norm(x, weight)
        yield f"layer_norm {form}", lambda x=x, weight=weight: norms.layer_norm(x, weight, weight)


FAMILIES = {"matmul": products, "matmul_scaled": scaled_products, "attention": attentions, "norms": normalizations}


def lines_of_loops(kernel):
    instructions = instructions_of_amd(kernel.asm["amdgcn"], kernel.name)
    return [line for loop in loops_of(instructions) if loop.is_innermost for line in loop.instructions]


def has_scalar_offset(line):
    """True for a wide buffer store with an offset in a scalar register: LLVM 22 omits the wait state that it needs."""
    parts = line.split(";")[0].split(",")
    return parts[0].strip().startswith(("buffer_store_dwordx3", "buffer_store_dwordx4")) and parts[3].split()[0] != "0"


def findings(kernel):
    """Yields descriptions of the faults in a kernel's code."""
    report = kernel.report()
    if spilled := report.resources["registers_spilled"]:
        yield f"{spilled} registers spilled"
    if "\tscratch_" in kernel.asm["amdgcn"]:
        yield "scratch"
    if any(map(has_scalar_offset, kernel.asm["amdgcn"].splitlines())):
        yield "a wide store with a scalar offset"
    if not report.loops:
        return
    loop = report.loops[0]
    lanes = sum(line.strip().startswith(("v_readlane", "v_writelane")) for line in lines_of_loops(kernel))
    if lanes and report.resources["scalar_registers_spilled"]:
        yield f"{lanes} moves of spilled scalar registers in loops"
    for what in ("reads", "writes"):
        uses = [getattr(stage, what) for stage in loop.stages]
        extra = sum(use.actual - use.ideal for use in uses if use is not None)
        if extra:
            yield f"{extra} wavefronts of {what} more than without bank conflicts"
    amid = sum(wait.is_amid_mmas for wait in loop.waits) if loop.is_pipeline else 0
    if amid:
        yield f"{amid} waits between MFMAs"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=FAMILIES)
    only = parser.parse_args().only
    os.environ["HOCKET_VERIFY_MACHINE"] = "1"
    with tempfile.TemporaryDirectory() as folder:  # kernels in the cache would not be compiled
        os.environ["HOCKET_CACHE_DIR"] = folder
        return compile_all(only)


def compile_all(only):
    compiled = []
    for kernels in (attention_cdna.KERNELS, matmul_cdna.KERNELS, scaled_host.KERNELS, norms_launch._FORWARD):
        kernels.update({key: Recorder(kernel, compiled.append) for key, kernel in kernels.items()})
    matmul_cdna.add_splits = Recorder(matmul_cdna.add_splits, compiled.append)
    forms, found, seen = 0, 0, set()
    for target, (family, forms_of) in itertools.product(TARGETS, FAMILIES.items()):
        if only not in (None, family):
            continue
        with hocket.emulator.target(target):
            for form, launch in forms_of(target):
                forms += 1
                launch()
                for kernel in compiled:
                    code = kernel.asm["amdgcn"]
                    if hash(code) not in seen:
                        seen.add(hash(code))
                        for finding in findings(kernel):
                            found += 1
                            print(f"{target} {form}: {finding}", flush=True)
                compiled.clear()
    print(f"{forms} forms, {len(seen)} different kernels, {found} findings")
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
