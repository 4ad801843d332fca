"""Counts the instructions in the loops of Hocket's kernels, per target, and in those of Triton kernels of the same
shapes.

    python benchmarks/isa.py            prints the tables
    python benchmarks/isa.py --write    writes them into docs/lab/isa.md, between its markers

Needs no GPU. The tables include Triton's kernels (isa_triton.py) if Triton can be imported (`pip install triton`). A
row has the counts for one iteration of a wave's hottest loop, scaled to 64 keys (attention) or K = 64 (GEMM). "267 +
33" means 33 additional instructions that some iterations skip.
"""

from __future__ import annotations

import argparse
import pathlib
import re
import sys

from results import NO_INPUTS, Results, write_section

import hocket
from hocket import language as gl
from hocket.isa.counts import UNITS, count_loops
from hocket.kernels._attention import host_cdna as attention_cdna
from hocket.kernels._attention.blocks_cdna import AttentionProblem, AttentionStrides
from hocket.kernels._attention.layouts_cdna import configure as configure_attention
from hocket.kernels._matmul import host_cdna as matmul_cdna
from hocket.kernels._matmul.host_scaled import FORMATS, choose_scaled_plan, configure_scaled
from hocket.kernels._matmul.host_scaled import KERNELS as SCALED_KERNELS
from hocket.kernels._matmul.host_scaled import TARGETS as SCALED_TARGETS
from hocket.kernels._matmul.layouts_cdna import configure as configure_matmul
from hocket.kernels._matmul.plan_cdna import CdnaPlan, Tile
from hocket.kernels._matmul.variant_cdna import choose_variant
from hocket.reports.code import count_cell
from hocket.runtime.resources import resources_of_isa

PAGE = pathlib.Path(__file__).resolve().parents[1] / "docs" / "lab" / "isa.md"
TARGETS = ("gfx950", "gfx942")
HEAD = ("kernel", "all", "MFMA", "clocks", "VALU", "trans", "SALU", "LDS rd", "LDS wr", "lane ex", "global", "waits",
        "scratch", "extra wavefronts rd, wr", "registers", "warps per SIMD", "model clocks", "model %")  # fmt: skip
SIZE = 4096
TILE = Tile(256, 256, 2, 4)
#: Tile of one wave per SIMD.
INTERLEAVED_TILE = Tile(256, 256, 2, 2)


def row_of(name, report, scale):
    """Returns a row of the table. All counts of an iteration are multiplied by `scale`."""
    loop = report.loops[0]

    def cell(*units):
        return count_cell(sum(map(loop.total, units)) * scale, loop.optional(*units) * scale)

    cells = [cell(*UNITS), cell("matrix"), f"{loop.matrix_clocks * scale:g}"]
    cells += map(cell, ("vector", "transcendental", "scalar", "shared_reads", "shared_writes", "exchanges"))
    cells += [cell("loads", "stores", "copies"), cell("waits"), cell("scratch")]
    uses = [[stage.reads for stage in loop.stages], [stage.writes for stage in loop.stages]]
    known = all(use is not None for kind in uses for use in kind)
    extra = [f"{sum(use.actual - use.ideal for use in kind) * scale:g}" for kind in uses] if known else []
    warps = report.occupancy.warps_per_simd if report.occupancy else ""
    model = report.schedule
    modeled = [f"{model.clocks * scale:.0f}", f"{100 * model.matrix_share:.0f}"] if model else ["-", "-"]
    return [name, *cells, ", ".join(extra) or "-", str(report.resources.get("registers", "-")), str(warps), *modeled]


# Hocket's kernels ----------------------------------------------------------------------------------------------------


def attention_kernels(target):
    """Yields the name, the compiled kernel and the scale of its row, for each attention kernel with SIZE keys."""
    is_direct = target in attention_cdna.DIRECT_TARGETS
    for size in (128, 64):
        for is_causal in (False, True):
            for pipelined in (True, False):
                options = attention_cdna.launch_options(pipelined)
                warps = options["num_warps"]
                config = configure_attention(target, gl.float16, size, is_causal, is_direct, warps, False, pipelined)
                strides = (16 * SIZE * size, SIZE * size, size, 1)
                arguments = [gl.float16] * 4 + [
                    AttentionStrides(*[strides] * 4),
                    AttentionProblem(16, 1, SIZE, SIZE, 0.125),
                ]
                kernel = attention_cdna.KERNELS[pipelined, is_direct]
                compiled = kernel.warmup(*arguments, cfg=config, target=target, **options)
                words = ["attention", f"D {size}", *(["causal"] if is_causal else [])]
                yield " ".join([*words, "pipelined" if pipelined else "plain"]), compiled, 1


def matmul_kernels(target):
    lds = next(info.max_shared_bytes for info in hocket._core.targets() if info.name == target)
    obstacle = None if target in matmul_cdna.DIRECT_TARGETS else "registers"
    for pipelined in (True, False):
        is_direct = obstacle is None
        plan = CdnaPlan(TILE, 64, is_direct, 2 if is_direct else 1, False)
        if pipelined:
            plan = CdnaPlan(TILE, *choose_variant(TILE, SIZE, 16, obstacle, lds))
        for name, a_is_k, b_is_k in (("A B", True, False), ("A B^T", True, True), ("A^T B", False, False)):
            config = configure_matmul(plan, target, gl.float16, lds, SIZE, a_is_k, b_is_k)
            strides = [(SIZE, 1) if rows else (1, SIZE) for rows in (a_is_k, not b_is_k, True)]
            kernel = matmul_cdna.KERNELS[plan.variant, plan.is_direct]
            arguments = [*[gl.float16] * 3, None, *strides, (0, 0, 0), *[SIZE] * 3]
            compiled = kernel.warmup(*arguments, cfg=config, num_warps=8, target=target)
            form = "pipelined" if pipelined else "plain"
            yield f"matmul {name} 256 x 256 {form}", compiled, 64 / plan.block_k


def interleaved_kernels(target):
    """Yields the GEMMs with one wave per SIMD. Operands that pass through registers must be contiguous along K."""
    lds = next(info.max_shared_bytes for info in hocket._core.targets() if info.name == target)
    is_direct = target in matmul_cdna.DIRECT_TARGETS
    plan = CdnaPlan(INTERLEAVED_TILE, 64, is_direct, 2 if is_direct else 1, False, is_interleaved=True)
    kernel = matmul_cdna.KERNELS[plan.variant, plan.is_direct]
    for name, a_is_k, b_is_k in (("A B", True, False), ("A B^T", True, True), ("A^T B", False, False)):
        if not (is_direct or (a_is_k and b_is_k)):
            continue
        config = configure_matmul(plan, target, gl.float16, lds, SIZE, a_is_k, b_is_k)
        strides = [(SIZE, 1) if rows else (1, SIZE) for rows in (a_is_k, not b_is_k, True)]
        arguments = [*[gl.float16] * 3, None, *strides, (0, 0, 0), *[SIZE] * 3]
        compiled = kernel.warmup(*arguments, cfg=config, num_warps=4, target=target)
        yield f"matmul {name} 256 x 256 interleaved", compiled, 64 / plan.block_k
    if target in SCALED_TARGETS:
        elements = FORMATS["float8_e4m3fn"]
        plan = CdnaPlan(INTERLEAVED_TILE, 128, True, 2, False, is_interleaved=True)
        config = configure_scaled(plan, target, elements, SIZE)
        arrays = elements.stored, elements.stored, gl.bfloat16, None, gl.uint8, gl.uint8
        arguments = [*arrays, (SIZE, 1), (1, SIZE), (SIZE, 1), *[SIZE] * 3]
        compiled = SCALED_KERNELS[plan.variant].warmup(*arguments, cfg=config, num_warps=4, target=target)
        yield "matmul_scaled A B^T 256 x 256 interleaved, MXFP8", compiled, 64 / config.k_elements


def other_element_kernels(target):
    """Yields the pipelined GEMMs A B^T for all element types except float16. All k-tiles have equal numbers of
    bytes."""
    lds = next(info.max_shared_bytes for info in hocket._core.targets() if info.name == target)
    obstacle = None if target in matmul_cdna.DIRECT_TARGETS else "registers"
    for name, element in matmul_cdna.ELEMENTS[target].items():
        if name == "float16":
            continue
        plan = CdnaPlan(TILE, *choose_variant(TILE, SIZE, element.primitive_bitwidth, obstacle, lds))
        config = configure_matmul(plan, target, element, lds, SIZE, True, True)
        arguments = [element, element, gl.float16, None, (SIZE, 1), (1, SIZE), (SIZE, 1), (0, 0, 0), *[SIZE] * 3]
        kernel = matmul_cdna.KERNELS[plan.variant, plan.is_direct]
        compiled = kernel.warmup(*arguments, cfg=config, num_warps=8, target=target)
        yield f"matmul A B^T 256 x 256 pipelined, {name}", compiled, 64 / plan.block_k


def scaled_kernels(target):
    if target not in SCALED_TARGETS:
        return
    for dtype, name in (("float8_e4m3fn", "MXFP8"), ("uint8", "MXFP4")):
        elements = FORMATS[dtype]
        k = SIZE // elements.per_byte
        plan = choose_scaled_plan(SIZE, SIZE, SIZE, elements, target)
        config = configure_scaled(plan, target, elements, k)
        arrays = elements.stored, elements.stored, gl.bfloat16, None, gl.uint8, gl.uint8
        arguments = [*arrays, (k, 1), (1, k), (SIZE, 1), SIZE, SIZE, k]
        kernel = SCALED_KERNELS[plan.variant]
        compiled = kernel.warmup(*arguments, cfg=config, num_warps=8, target=target)
        yield f"matmul_scaled A B^T 256 x 256 pipelined, {name}", compiled, 64 / config.k_elements


def kernels_of(target):
    """Yields the name, the compiled kernel and the scale of its row, for each of Hocket's kernels."""
    for kernels in (attention_kernels, matmul_kernels, interleaved_kernels, other_element_kernels, scaled_kernels):
        yield from kernels(target)


def loops_of(target):
    """Yields the name, the code report and the scale of its row, for each of Hocket's kernels."""
    for name, compiled, scale in kernels_of(target):
        yield name, compiled.report(), scale


# Triton's ------------------------------------------------------------------------------------------------------------


def triton_rows(target):
    """Yields the table rows of Triton's kernels; yields no rows if Triton cannot be imported."""
    try:
        import triton
        from isa_triton import attention_signature, compile_for, matmul_signature
    except ImportError:
        return
    version = f"Triton {triton.__version__}"
    for size in (128, 64):
        text, name = compile_for(target, *attention_signature(size))
        yield triton_row(f"attention D {size}, {version}", text, name, target, 1)
    for name, is_transposed in (("A B", False), ("A B^T", True)):
        text, kernel, block_k = *compile_for(target, *matmul_signature(is_transposed)), 64
        yield triton_row(f"matmul {name} 256 x 256, {version}", text, kernel, target, 64 / block_k)


def triton_row(title, text, kernel, target, scale):
    from hocket.reports.code import CodeReport, Occupancy

    resources = {"warps": 8, **resources_of_isa(text)}
    occupancy = Occupancy(*hocket._core.occupancy(target, 8, resources["registers"], 0))
    loops = count_loops(text, kernel, target, "amd")
    return row_of(title, CodeReport(kernel, target, "amd", resources, occupancy, loops), scale)


# The tables ----------------------------------------------------------------------------------------------------------


def rows_of(target):
    return [*(row_of(*loop) for loop in loops_of(target)), *triton_rows(target)]


def table_of(target, rows):
    lines = ["| " + " | ".join(row) + " |" for row in ([HEAD, ["---"] * len(HEAD), *rows])]
    return f"**{target}**\n\n" + "\n".join(lines)


def add_table(results, target, rows):
    """Adds a table with the number in each cell to `results`: 267 for "267 + 33". Cells without a number are left
    out."""
    title = f"hottest loops on {target}: instructions, clocks, registers"
    table = results.table(target, title, "count", better="lower", ours=HEAD[1:])
    for name, *cells in rows:
        numbers = {heading: re.match(r"[\d.]*\d", cell) for heading, cell in zip(HEAD[1:], cells, strict=True)}
        table.add(name, {heading: float(match[0]) for heading, match in numbers.items() if match}, target=target)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the tables into docs/lab/isa.md")
    results = Results(
        "isa", inputs=NO_INPUTS, method="instructions in the assembly of the kernel, and the performance model"
    )
    results.add_option(parser)
    arguments = parser.parse_args()
    rows = {target: rows_of(target) for target in TARGETS}
    for target in TARGETS:
        add_table(results, target, rows[target])
    results.save(arguments)
    text = "\n\n".join(table_of(target, rows[target]) for target in TARGETS)
    if not arguments.write:
        print(text)
        return 0
    write_section(PAGE, "isa.py", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
