"""Properties of compilation targets (csrc/bindings/Targets.cpp)."""

class TargetInfo:
    @property
    def name(self) -> str: ...
    @property
    def family(self) -> str: ...
    @property
    def vendor(self) -> str: ...
    @property
    def assembly(self) -> str:
        """Name of the artifact with the assembly text."""
    @property
    def machine_code(self) -> str:
        """Name of the artifact that the driver loads."""
    @property
    def uses_installed_assembler(self) -> bool:
        """True if the assembler is part of the vendor's toolkit. If this assembler is not installed, the driver
        assembles the text."""
    @property
    def gpus(self) -> list[str]:
        """Names of the GPUs of this target, in lower case and without punctuation, such as "h100"."""
    @property
    def warp_size(self) -> int: ...
    @property
    def max_threads_per_block(self) -> int: ...
    @property
    def max_shared_bytes(self) -> int: ...
    @property
    def shared_banks(self) -> int:
        """Number of shared memory banks, of 4 bytes each."""

def targets() -> list[TargetInfo]: ...
