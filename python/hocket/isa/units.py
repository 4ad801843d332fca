"""Maps the mnemonic of an instruction to the functional unit that executes the instruction.

The sources for AMD are the ISA guides "AMD Instinct MI300" and "CDNA4". The source for SASS, the code that NVIDIA GPUs
execute, is "CUDA Binary Utilities".
"""

from __future__ import annotations

import re
from collections.abc import Callable

from .. import _core

#: The functional units, in the order of the columns of reports.
UNITS = (
    "matrix",
    "vector",
    "transcendental",
    "scalar",
    "shared_reads",
    "shared_writes",
    "exchanges",
    "loads",
    "stores",
    "copies",
    "scratch",
    "waits",
    "barriers",
    "other",
)

# The first pattern that matches an instruction determines its unit.
_AMD = (
    ("matrix", r"v_s?mfma"),
    ("transcendental", r"v_(exp|log|rcp|rsq|sqrt|sin|cos)_"),
    ("vector", r"v_"),
    ("exchanges", r"ds_(bpermute|permute|swizzle)"),
    ("shared_reads", r"ds_(read|load)"),
    ("shared_writes", r"ds_"),
    ("scratch", r"scratch_"),
    ("copies", r"(buffer|global)_load\S* .*\blds\b|global_load_lds"),
    ("loads", r"(buffer|global|flat)_load|s_(buffer_)?load"),
    ("stores", r"(buffer|global|flat)_(store|atomic)"),
    ("other", r"(buffer|global)_"),
    ("waits", r"s_waitcnt|s_wait_"),
    ("barriers", r"s_barrier"),
    ("other", r"s_(nop|setprio|sleep|sched|inst_prefetch|endpgm|branch|cbranch|sendmsg|trap|icache|dcache)"),
    ("scalar", r"s_"),
)
_PTX = (
    ("matrix", r"wgmma\.mma_async|mma\.sync|tcgen05\.mma"),
    ("waits", r"wgmma\.wait_group|cp\.async\.(bulk\.)?wait|mbarrier\.(try|test)_wait|tcgen05\.wait"),
    ("transcendental", r"(ex2|lg2|rcp|rsqrt|sqrt|sin|cos|tanh)\."),
    ("shared_reads", r"ld\.(volatile\.)?shared|ldmatrix"),
    ("shared_writes", r"st\.(volatile\.)?shared|stmatrix|(red|atom)\.shared"),
    ("exchanges", r"shfl\.|vote\.|match\.|redux\."),
    ("scratch", r"(ld|st)\.local"),
    ("copies", r"cp\.(async|reduce\.async)\.(?!commit|mbarrier|bulk\.commit)"),
    ("loads", r"ld\."),
    ("stores", r"st\.|red\.|atom\."),
    ("barriers", r"bar\.|barrier\."),
    ("other", r"bra\b|ret\b|exit\b|call|wgmma\.|fence|cp\.|mbarrier\.|membar|griddep|setmaxnreg|elect|prefetch"),
    ("vector", r""),
)
_SASS = (
    ("matrix", r"[HIDQB]G?MMA"),
    ("waits", r"WARPGROUP\.DEPBAR|DEPBAR|SYNCS\S*\.TRYWAIT"),
    ("transcendental", r"MUFU"),
    ("other", r"LDGDEPBAR|BAR\.ARV|BRA|BRX|EXIT|NOP|CALL|RET|BSYNC|BSSY|WARPSYNC|WARPGROUP|MEMBAR|FENCE|ERRBAR|CCTL"),
    ("other", r"SYNCS|UCGABAR|UTMACMDFLUSH|UTMACCTL|YIELD|BPT|ELECT|USETMAXREG"),
    ("shared_reads", r"LDS"),
    ("shared_writes", r"STS|ATOMS"),
    ("exchanges", r"SHFL|VOTE|MATCH|REDUX"),
    ("scratch", r"LDL|STL"),
    ("copies", r"LDGSTS|UTMA|UBLKCP|UBLKRED"),
    ("loads", r"LDG|LD\b"),
    ("stores", r"STG|ST\b|ATOM|RED"),
    ("barriers", r"BAR\."),
    ("scalar", r"U[A-Z]|LDC|R2UR|S2R|CS2R"),
    ("vector", r""),
)
_COMPILED = {
    language: [(unit, re.compile(pattern)) for unit, pattern in rules]
    for language, rules in (("amd", _AMD), ("ptx", _PTX), ("sass", _SASS))
}

_MFMA = re.compile(r"v_(?:s?mfma(?:_scale)?)_\w+?_(\d+)x(\d+)x\d+(?:_(\d+)b)?_?(\w*)")


def unit_of(instruction: str, language: str) -> str:
    """Returns the functional unit of an instruction, one of UNITS. `language`: "amd", "ptx" or "sass"."""
    if language != "amd":
        instruction = re.sub(r"^@!?%?\w+\s+", "", instruction)
    return next((unit for unit, pattern in _COMPILED[language] if pattern.match(instruction)), "other")


def matrix_clocks_of(target: str) -> Callable[[str], int]:
    """Returns a function that maps an MFMA to the clocks for which the MFMA occupies a matrix core; 0 for unknown
    instructions."""
    known: dict[tuple, int] = {}

    def clocks(instruction: str) -> int:
        match = _MFMA.match(instruction)
        if match is None:
            return 0
        m, blocks = int(match[1]), int(match[3] or 1)
        key = m, blocks, _rate_of(match[4], instruction)
        if key not in known:
            known[key] = _core.matrix_clocks(target, *key)
        return known[key]

    return clocks


def _rate_of(element: str, instruction: str) -> str:
    if "f8f6f4" in element:
        # Format codes of the operands: 0 and 1 are 8-bit formats. The assembler does not print code 0.
        kinds = [int((re.search(rf"{name}:(\d)", instruction) or "00")[1]) for name in ("cbsz", "blgp")]
        return "scaled8" if min(kinds) < 2 else "scaled"
    return {"f64": "f64", "f32": "f32"}.get(element.split("_")[-1], "narrow")
