"""Makes the report on a kernel's machine code."""

from __future__ import annotations

from collections.abc import Callable

from .. import _core
from ..errors import HocketError
from ..isa.counts import count_loops
from ..pictures.code_report import CodeReport, Occupancy
from .disassembly import sass


def text_of_nvidia(ptx: Callable[[], str], cubin: Callable[[], bytes]) -> tuple[str, str]:
    """The code for a report and its language: SASS if an assembler and nvdisasm are installed, otherwise PTX."""
    try:
        return "sass", sass(cubin())
    except HocketError:
        return "ptx", ptx()


def report_of(facts: _core.KernelFacts, language: str, text: str, hk: str, resources: dict[str, int]) -> CodeReport:
    """The report on a kernel.

    Args:
        language: language of the text: "amd", "ptx" or "sass".
        text: AMD assembly, PTX, or the output of nvdisasm.
        hk: the kernel's tile IR.
        resources: registers and spills as `runtime.resources` reads them, as far as they are known.
    """
    warps = facts.num_warps + facts.worker_warps
    occupancy = None
    if "registers" in resources:
        occupancy = Occupancy(*_core.occupancy(facts.target, warps, resources["registers"], facts.shared))
    loops = count_loops(text, facts.name, facts.target, language, hk)
    known = {"warps": warps, **resources, "shared_bytes": facts.shared}
    return CodeReport(facts.name, facts.target, language, known, occupancy, loops)
