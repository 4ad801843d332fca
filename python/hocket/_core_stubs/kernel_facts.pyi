"""The properties of compiled kernels (csrc/bindings/KernelFacts.cpp)."""

from typing import Any

class KernelFacts:
    """The properties of a compiled kernel."""

    def __init__(self, **facts: Any) -> None:
        """Properties without an argument are 0 or empty."""
    FACTS: tuple[tuple[str, str, str], ...]
    """(name, type, description) of each."""
    # Written by tools/write_fact_stubs.py from csrc/runtime/KernelFacts.def:
    @property
    def name(self) -> str:
        """The kernel's name."""
    @property
    def target(self) -> str:
        """Target of the compilation, such as gfx950."""
    @property
    def num_warps(self) -> int:
        """Warps of one block that the launch asks for."""
    @property
    def worker_warps(self) -> int:
        """Warps of one block that warp_specialize adds."""
    @property
    def shared(self) -> int:
        """Shared memory of one block, in bytes."""
    @property
    def warp_size(self) -> int:
        """Lanes of one warp."""
    @property
    def num_ctas(self) -> int:
        """Blocks that form a cluster."""
    @property
    def launch_cooperative_grid(self) -> bool:
        """True if all blocks of a launch run at once, so that they may wait for each other."""
    @property
    def launch_pdl(self) -> bool:
        """True if launches may begin before earlier launches on their stream have ended, on GPUs that support it."""
    @property
    def parameters(self) -> list[str]:
        """Names of the arguments that a launch passes, in order."""
    @property
    def read_arguments(self) -> list[str]:
        """Names of the arguments that the kernel reads memory through."""
    @property
    def written_arguments(self) -> list[str]:
        """Names of the arguments that the kernel writes memory through."""
    @property
    def implicit_arguments(self) -> list[tuple[str, int, int]]:
        """Arguments that the runtime adds after the parameters: kind, bytes per launch, bytes per block."""
    @property
    def messages(self) -> list[tuple[str, str]]:
        """For drivers without printf: formats of the kernel's printed lines, and texts of its failures."""
    @property
    def synchronization(self) -> list[tuple[Any, ...]]:
        """Waits, fences and barriers: what, where, whether it is written, the operation before and after, and why."""
    @property
    def stage_reports(self) -> list[str]:
        """For loops with warp_pipeline="auto": the stages that the compiler formed, or the reason for none, as JSON."""
    @property
    def profile(self) -> str:
        """Meaning of the profiler's records, as JSON; empty without records. See docs/profiling_format.md."""
    @property
    def records_variable(self) -> str:
        """The module's variable that the profiler's records go to; empty where launches hand over memory."""
    @property
    def record_bytes(self) -> int:
        """Bytes of the profiler's records of one block; 0 without records."""
    @property
    def recorded_blocks(self) -> int:
        """Number of blocks whose records fit into that variable; 0 if all blocks of a launch record."""
    @property
    def user_assembly(self) -> list[str]:
        """Location of the first inline assembly in the kernel's source; empty if there is none."""
    @property
    def warnings(self) -> list[str]:
        """Requests of the kernel that the compiler could not fulfill."""
    # End of the generated part.
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(bytes: bytes) -> KernelFacts | None:
        """Returns the properties that `to_bytes` has written. Returns None if they were written by a build whose
        KernelFacts has other properties."""
    def issue_warnings(self) -> None:
        """Issues each of `warnings` as a CompileWarning at the source line of the warning."""
