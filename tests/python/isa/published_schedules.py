"""Loops of instructions whose efficiency on hardware AMD has published. Tests compare the schedule model with them.

From github.com/ROCm/gfx950-gluon-tutorials: what each stage of a loop does and how many instructions it takes is in its
documents; that is written down here, in the order that they describe. Efficiency is the share of the loop's time for
which a SIMD unit's matrix core is busy, from instruction traces of an MI355X (gfx950) and an MI300X (gfx942).
"""

from __future__ import annotations

from typing import NamedTuple

from hocket.isa.schedule import ModeledSchedule, Residence, Step, simulate
from hocket.isa.work import work_of

MFMA_32 = "v_mfma_f32_32x32x16_f16 v[0:15], v[0:3], v[4:7], v[0:15]"
MFMA_16 = {
    "gfx950": "v_mfma_f32_16x16x32_f16 v[0:3], v[0:3], v[4:7], v[0:3]",
    "gfx942": "v_mfma_f32_16x16x16_f16 v[0:3], v[0:1], v[4:5], v[0:3]",
}
#: MFMAs of 8-bit elements without scales, and of 4-bit elements with scales.
MFMA_OF_BYTES = "v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[0:7], v[8:15], v[0:3] cbsz:1 blgp:1"
MFMA_SCALED = "v_mfma_scale_f32_{}_f8f6f4 v[0:15], v[0:3], v[4:7], v[0:15], v8, v9 cbsz:4 blgp:4"
READ, WRITE = "ds_read_b128 v[0:3], v0", "ds_write_b128 v0, v[0:3]"
READ_TRANSPOSED, READ_BYTE = "ds_read_b64_tr_b16 v[0:1], v0", "ds_read_u8 v0, v0"
COPY = ["s_mov_b32 m0, s0", "buffer_load_dwordx4 v0, s[0:3], 0 offen lds"]
COPY_SCALES = ["s_mov_b32 m0, s0", "buffer_load_dword v0, s[0:3], 0 offen lds"]
LOAD = "buffer_load_dwordx4 v[0:3], v0, s[0:3], 0 offen"
FMA, EXP, PACKED = "v_fma_f32 v0, v1, v2, v3", "v_exp_f32_e32 v0, v0", "v_pk_mul_f32 v[0:1], v[2:3], v[4:5]"
BARRIER, DRAIN = "s_barrier", "s_waitcnt lgkmcnt(0)"
BRANCH = ["s_add_i32 s0, s0, 1", "s_cmp_lt_i32 s0, s1", "s_cbranch_scc1 .L"]


class Published(NamedTuple):
    """A loop, and its efficiency on hardware.

    Attributes:
        stages: instructions by stage; of memory stages, and of those that multiply, in turn.
        conflicts: clocks of an access of LDS, divided by those without bank conflicts.
        line_use: bytes of cache lines that its loads touch, divided by the bytes that they request.
    """

    name: str
    target: str
    efficiency: float
    stages: list[list[str]]
    residence: Residence = Residence(waves=2, lag=1)
    conflicts: float = 1.0
    line_use: float = 1.0

    def model(self) -> ModeledSchedule:
        steps = [
            Step(work_of(line, self.target, self.conflicts, self.line_use), i)
            for i, stage in enumerate(self.stages)
            for line in stage
        ]
        return simulate(steps, [str(i) for i in range(len(self.stages))], self.target, self.residence)


def memory_stage(*work: str, wait: str = "") -> list[str]:
    """Ends as a fence of LDS does."""
    return [*work, *([wait] if wait else []), DRAIN, "s_setprio 0", BARRIER]


def matrix_stage(*work: str) -> list[str]:
    return [*work, "s_setprio 1", BARRIER]


def looped(stages: list[list[str]]) -> list[list[str]]:
    """With the branch back in the last memory stage."""
    *rest, before, last = stages
    return [*rest, [*BRANCH[:2], *before], [*last, BRANCH[2]]]


def quadrants(products: list[str]) -> list[list[str]]:
    """256 x 256, 128 bytes of k, in four quadrants: a half of A or B is read, another copied, per product of one."""
    stages = []
    for reads in (8, 4, 8, 4):
        memory = memory_stage(*[READ] * reads, *COPY * 2, wait="s_waitcnt vmcnt(10)")
        stages += [memory, matrix_stage(*products)]
    return looped(stages)


def scaled_quadrants(products: list[str], scales_of_b: list[list[str]], copies_of_b: int) -> list[list[str]]:
    """The loop for MXFP4 with k-tiles of 256, and scales through LDS. The scales of a half of A are one read of 8
    bytes."""
    memory = [
        [*[READ] * 8, READ_TRANSPOSED, *COPY * 2, *COPY_SCALES],
        [*[READ] * 4, *scales_of_b[0], *COPY * 2, *COPY_SCALES],
        [*[READ] * 4, *COPY * 2, *COPY_SCALES],
        [*[READ] * 8, READ_TRANSPOSED, *scales_of_b[1], *COPY * 2, *COPY_SCALES * (copies_of_b - 1)],
    ]
    waits = "s_waitcnt vmcnt(13)"
    return looped([stage for work in memory for stage in (memory_stage(*work, wait=waits), matrix_stage(*products))])


def ring() -> list[list[str]]:
    """256 x 256 x 32, three slots: rows of 64 bytes."""
    memory = memory_stage(*[READ] * 12, *COPY * 4, wait="s_waitcnt vmcnt(4)")
    return looped([memory, matrix_stage(*[MFMA_16["gfx950"]] * 32)] * 3)


def sliced_on_cdna3() -> list[list[str]]:
    """256 x 256 x 64 in quadrants by slices of 32 of k, one slot of LDS; the next tile waits in registers. Which of the
    eight memory stages does how much is not published: here all do the same."""
    memory = memory_stage(LOAD, *[READ] * 3, WRITE, wait="s_waitcnt vmcnt(8)")
    return looped([memory, matrix_stage(*[MFMA_16["gfx942"]] * 16)] * 8)


def eight_regions_on_cdna3() -> list[list[str]]:
    """The loop divided into whole quadrants: each memory stage runs during the MFMAs of one quadrant."""
    memory = [
        [*[LOAD] * 4, *[READ] * 8],
        [*[LOAD] * 4, *[READ] * 4],
        ["s_waitcnt vmcnt(4)", *[READ] * 8, *[WRITE] * 4],
        ["s_waitcnt vmcnt(0)", *[READ] * 4, *[WRITE] * 4],
    ]
    return looped(
        [stage for work in memory for stage in (memory_stage(*work), matrix_stage(*[MFMA_16["gfx942"]] * 32))]
    )


def spread(vector: list[str], capacity: int = 6) -> list[str]:
    """16 products of 32 clocks, each followed by what fits beside it (an exponential counts twice); then the rest."""
    stage, rest = [], list(vector)
    share = min(capacity, -(-sum(1 + (line == EXP) for line in rest) // 16))
    for _ in range(16):
        stage.append(MFMA_32)
        used = 0
        while rest and used + 1 + (rest[0] == EXP) <= share:
            used += 1 + (rest[0] == EXP)
            stage.append(rest.pop(0))
    return stage + rest


def attention(qk: list[str], pv: list[str]) -> list[list[str]]:
    """An iteration of 64 keys: reads of K, MFMAs of the next scores with the rest of the softmax, reads of V, MFMAs of
    the output with the row max and the exponentials."""
    return looped(
        [
            memory_stage(*[READ] * 16, *COPY * 2, wait="s_waitcnt vmcnt(2)"),
            matrix_stage(*qk),
            memory_stage(*[READ_TRANSPOSED] * 32, *COPY * 2, wait="s_waitcnt vmcnt(2)"),
            matrix_stage(*pv),
        ]
    )


#: VALU instructions that do not scale with the tile: row max across lanes, rescale factor, and similar ones.
FEW = [FMA] * 6
#: Sums, conversions and the rescaling of 64 registers; leftovers are packed.
EAGER = attention(
    [*spread([FMA] * 96), *[FMA] * 2, *[PACKED] * 7, *FEW], [*spread([*[FMA] * 48, *[EXP] * 24]), *[EXP] * 8, EXP]
)
#: Three eighths of the exponentials beside the scores; nothing is rescaled.
LAZY = attention(spread([*[FMA] * 60, *[EXP] * 12]), spread([*[FMA] * 36, *FEW, *[EXP] * 20, EXP]))

PUBLISHED = [
    Published("quadrants, k-tile 64", "gfx950", 0.998, quadrants([MFMA_16["gfx950"]] * 16)),
    Published("ring, k-tile 32", "gfx950", 0.85, ring(), line_use=2.0),
    Published("slices on CDNA 3", "gfx942", 0.865, sliced_on_cdna3(), conflicts=1.75),
    Published("attention, eager", "gfx950", 0.862, EAGER),
    Published("attention, lazy", "gfx950", 0.937, LAZY),
]
#: Scales of a half of B, of which a lane reads four bytes and shuffles them: kernels/gemm/inter_wave/a4w4.
BYTEWISE = [*[READ_BYTE] * 4, DRAIN, *["v_perm_b32 v0, v0, v0, s0"] * 3]
SMALL, LARGE = [MFMA_SCALED.format("16x16x128")] * 16, [MFMA_SCALED.format("32x32x64")] * 8
#: Not what the issue names, but published as well: the gfx942 kernel without bank conflicts, and those of fewer bits.
FURTHER = [
    Published("regions on CDNA 3", "gfx942", 0.96, eight_regions_on_cdna3()),
    Published("quadrants of bytes", "gfx950", 0.997, quadrants([MFMA_OF_BYTES] * 8)),
    Published("MXFP4, 16x16x128, scales bytewise", "gfx950", 0.66, scaled_quadrants(SMALL, [BYTEWISE, BYTEWISE], 2)),
    Published("MXFP4, 16x16x128", "gfx950", 0.796, scaled_quadrants(SMALL, [[], [READ_TRANSPOSED]], 1)),
    Published("MXFP4, 32x32x64", "gfx950", 0.989, scaled_quadrants(LARGE, [[], [READ_TRANSPOSED]], 1)),
]


def interleaved(m: int, n: int) -> list[list[str]]:
    """A tile of m x n x 64 by four warps, one wave per SIMD: reads and copies are interleaved with the MFMAs."""
    products, loads = m * n * 64 // (16 * 16 * 32 * 4), (m + n) * 64 * 2 // 4096
    reads = (m // 2 + n // 2) * 64 * 2 // 1024
    per = [[] for _ in range(products)]
    for i in range(loads):
        per[i * products // loads] += COPY
    for i in range(reads):
        per[i * products // reads].append(READ)
    lines = [line for extra in per for line in (MFMA_16["gfx950"], *extra)]
    return [[*lines, f"s_waitcnt vmcnt({loads}) lgkmcnt(0)", BARRIER, *BRANCH]]


#: (tile, efficiency) of loops of one wave per SIMD unit, tile by tile: docs/tcp_bound_tile_model.md.
TILES = [(256, 256, 0.96), (256, 128, 0.83), (128, 128, 0.69), (256, 64, 0.55), (128, 64, 0.47)]
FURTHER += [
    Published(f"one wave, {m} x {n}", "gfx950", efficiency, interleaved(m, n), Residence(waves=1))
    for m, n, efficiency in TILES
]
