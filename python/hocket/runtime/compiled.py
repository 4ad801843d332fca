"""A kernel compiled for one specialization: the result of a launch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .. import _core
from ..errors import HocketError

if TYPE_CHECKING:
    from ..profiler.facts import ProfileFacts
    from ..reports.code import CodeReport
    from ..reports.schedule import ScheduleReport
    from ..reports.synchronization import SyncReport

_BINARY = frozenset({"cubin", "hsaco"})
#: For each of Triton's names of artifacts: the name of hocket's most similar artifact.
_TRITONS = {"source": "hk", "ttir": "hk", "ttgir": "hk", "llir": "llvm"}


class Artifacts(Mapping):
    """The text or binary of a kernel after each step of compilation, by name: "hk", "lane", "llvm", then "ptx" and
    "cubin", or "amdgcn" and "hsaco".

    Texts are str, machine code is bytes. Artifacts that the launch did not need are generated on request. Triton's
    names also work: "source", "ttir" and "ttgir" for "hk", "llir" for "llvm", and "sass" for the disassembly of a
    cubin.
    """

    def __init__(self, target: str, known: dict[str, bytes], make: Callable[[str], bytes]):
        self._target = target
        self._known = known
        self._make = make

    def __getitem__(self, name: str) -> Any:
        name = _TRITONS.get(name, name)
        if name == "sass" and "cubin" in list(self):
            from .disassembly import sass

            return sass(self["cubin"])
        if name not in self._known:
            names = list(self)
            if name not in names:
                raise KeyError(f"{name!r}; a kernel for {self._target} has {', '.join(names)}")
            self._known[name] = self._make(name)
        value = self._known[name]
        return value if name in _BINARY else value.decode()

    def __contains__(self, name: object) -> bool:
        return _TRITONS.get(str(name), name) in list(self) or (name == "sass" and "cubin" in list(self))

    def __iter__(self) -> Iterator[str]:
        return iter(_core.artifacts(self._target))

    def __len__(self) -> int:
        return len(_core.artifacts(self._target))

    def __repr__(self) -> str:
        return f"Artifacts({', '.join(self)})"


class CompiledKernel:
    """A kernel compiled for one specialization of its arguments.

    Attributes:
        asm: texts and binaries by name, see Artifacts.
        metadata: properties of the kernel: name, target, num_warps, shared (bytes of shared memory per block),
            warp_size, num_ctas, parameters, implicit_arguments, synchronization, warnings.
        arguments: by parameter, the type that the kernel was compiled for, in the notation of
            `hocket compile --signature`, or "= " and the constant.
        place: the device of the kernel: the ordinal of a GPU, or the target of an emulated one; "compile:" and a target
            if it was only compiled.
        name, num_warps, target: shortcuts into `metadata`.
        n_regs: registers per thread; n_spills: 32-bit words per thread that were spilled. Known on a GPU and, for AMD
            kernels that were only compiled, from the machine code; None otherwise.
        n_max_threads: largest block that the registers allow. None unless the kernel is loaded on a GPU.
    """

    def __init__(
        self,
        metadata: _core.KernelFacts,
        asm: Artifacts,
        device_kernel: _core.DeviceKernel | None,
        used_globals: list,
        arguments: dict[str, str],
        place: int | str,
        request: Any = None,
    ):
        self.metadata = metadata
        self.asm = asm
        self.arguments = arguments
        self.place = place
        # The kernel on its device, which the launch path uses; None for a kernel that was only compiled.
        self._device_kernel = device_kernel
        self._used_globals = used_globals
        # The runtime.compiler.Request by which the kernel was compiled, for exports.
        self._request = request

    @property
    def name(self) -> str:
        """The name of the kernel function."""
        return self.metadata.name

    @property
    def target(self) -> str:
        """The target for which the kernel is compiled, such as "sm_90a"."""
        return self.metadata.target

    @property
    def num_warps(self) -> int:
        """Warps per block."""
        return self.metadata.num_warps

    @property
    def n_regs(self) -> int | None:
        """Registers per thread, from the driver or from AMD assembly; otherwise None."""
        known = self._device_kernel and self._device_kernel.registers
        return self._resource_of_isa("registers") if known is None else known

    @property
    def n_spills(self) -> int | None:
        """Number of spilled 32-bit registers per thread, from the driver or from AMD assembly; otherwise None."""
        spilled = self._device_kernel and self._device_kernel.spill_bytes
        return self._resource_of_isa("registers_spilled") if spilled is None else spilled // 4

    def _resource_of_isa(self, name: str) -> int | None:
        """Returns a resource from the AMD assembly of a kernel that was only compiled; None for other kernels."""
        from .places import COMPILE_ONLY

        compiled_only = isinstance(self.place, str) and self.place.startswith(COMPILE_ONLY)
        return self._resources().get(name) if compiled_only and "amdgcn" in self.asm else None

    @property
    def n_max_threads(self) -> int | None:
        """Largest number of threads per block of this kernel; None if it is not loaded on a GPU."""
        return self._device_kernel and self._device_kernel.max_threads

    @property
    def profile(self) -> ProfileFacts | None:
        """Properties that are needed to read the kernel's records; None if the kernel was compiled without recording,
        or has nothing to record."""
        from ..profiler.facts import ProfileFacts

        return ProfileFacts.parse(self.metadata.profile)

    def sync_report(self) -> SyncReport:
        """Explains each wait, fence and barrier of the kernel: the two operations that it orders, their lines, and the
        reason why it cannot be weaker.

        Returns:
            A sequence of points that prints as text, and that Jupyter shows beside the source.

        Example:
            >>> print(kernel.sync_report())  # doctest: +SKIP
            matmul for sm_90a: 2 waits, 0 fences, 1 barrier
            ...
        """
        from ..reports.synchronization import SyncReport

        return SyncReport(self.name, self.target, self.metadata.synchronization)

    def explain_schedule(self) -> ScheduleReport:
        """Explains the stages that the compiler formed from loops with `warp_pipeline="auto"`, or why it formed none:
        estimated clocks of an iteration, the load of each unit per slot, the lower bound and the unit that limits it,
        the next best schedule, and the stages as source.

        Returns:
            A sequence of LoopSchedule, one for each of these loops, that prints as text.

        Example:
            >>> print(kernel.explain_schedule())  # doctest: +SKIP
            matmul for gfx950
            ...
        """
        from ..reports.schedule import ScheduleReport

        return ScheduleReport(self.name, self.target, self.metadata.stage_reports)

    def report(self) -> CodeReport:
        """Analyzes the hottest loops of the machine code, per stage and per iteration, and reports the bottleneck.

        For AMD assembly: MFMAs and their clocks, VALU, transcendental and SALU instructions, accesses of LDS and global
        memory, the operations that each wait waits for, spills, and the estimated clocks per iteration. For NVIDIA
        GPUs, SASS is analyzed if an assembler and nvdisasm are installed (`pip install nvidia-cuda-nvdisasm`),
        otherwise PTX. Bank conflicts are computed from layouts, for the slowest warp.

        Returns:
            A CodeReport: `print` shows it as text, Jupyter as a table, and `as_dict()` returns numbers.

        Example:
            >>> print(kernel.report())  # doctest: +SKIP
            attention_pipelined_direct for gfx950: 212 registers, ...
            ...
        """
        from ..reports.code import report_of
        from .disassembly import text_of_nvidia

        if "amdgcn" in self.asm:
            language, text = "amd", self.asm["amdgcn"]
        else:
            language, text = text_of_nvidia(lambda: self.asm["ptx"], lambda: self.asm["cubin"])
        return report_of(self.metadata, language, text, self.asm["hk"], self._resources())

    def _resources(self) -> dict[str, int]:
        """Returns the registers and spills of the kernel. Returns an empty dict if the assembler for PTX is missing."""
        from .resources import resources_of_cubin, resources_of_isa

        if "amdgcn" in self.asm:
            return resources_of_isa(self.asm["amdgcn"])
        try:
            return resources_of_cubin(self.asm["cubin"])
        except HocketError:
            return {}

    def __repr__(self) -> str:
        facts = self.metadata
        return f"<CompiledKernel {facts.name} for {facts.target}, {facts.num_warps} warps, {facts.shared} shared bytes>"

    def _repr_html_(self) -> str | None:
        from .._display import html_of

        return html_of(self)
