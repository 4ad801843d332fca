"""The report on a kernel's machine code, from what the compiler made and what it knows."""

from __future__ import annotations

from .. import _core
from ..isa.counts import count_loops
from ..pictures.code_report import CodeReport, Occupancy


def report_of(facts: _core.KernelFacts, text: str, hk: str, resources: dict[str, int]) -> CodeReport:
    """The report on a kernel.

    Args:
        text: AMD's assembly text, or PTX.
        hk: its tile IR.
        resources: registers and spills, as `runtime.resources` reads them, as far as they are known.
    """
    vendor = next(target.vendor for target in _core.targets() if target.name == facts.target)
    warps = facts.num_warps + facts.worker_warps
    occupancy = None
    if "registers" in resources:
        occupancy = Occupancy(*_core.occupancy(facts.target, warps, resources["registers"], facts.shared))
    loops = count_loops(text, facts.name, facts.target, vendor, hk)
    known = {"warps": warps, **resources, "shared_bytes": facts.shared}
    return CodeReport(facts.name, facts.target, vendor, known, occupancy, loops)
