"""The device properties that PyTorch reports for each emulated GPU: the published figures of one GPU model per
target."""

from __future__ import annotations

from types import SimpleNamespace
from typing import NamedTuple

from .. import _core


class Gpu(NamedTuple):
    """Properties of a GPU model. The sizes of memory and cache are in bytes, the memory clock in kHz, and the width of
    the memory bus in bits."""

    name: str
    capability: tuple[int, int]
    multiprocessors: int
    memory_bytes: int
    cache_bytes: int
    memory_clock: int
    memory_bus: int
    #: Name of the architecture with feature flags, such as "gfx942:sramecc+:xnack-", for GPUs whose driver reports such
    #: a name.
    architecture: str | None = None

    def properties(self, target: str) -> SimpleNamespace:
        """Returns a stand-in for the result of `torch.cuda.get_device_properties`."""
        info = next(info for info in _core.targets() if info.name == target)
        facts = SimpleNamespace(
            name=self.name,
            major=self.capability[0],
            minor=self.capability[1],
            multi_processor_count=self.multiprocessors,
            total_memory=self.memory_bytes,
            L2_cache_size=self.cache_bytes,
            memory_clock_rate=self.memory_clock,
            memory_bus_width=self.memory_bus,
            warp_size=info.warp_size,
            max_threads_per_multi_processor=2048,
            regs_per_multiprocessor=65536,
            shared_memory_per_block=48 * 1024,
            shared_memory_per_block_optin=info.max_shared_bytes,
            shared_memory_per_multiprocessor=info.max_shared_bytes,
            is_integrated=0,
            is_multi_gpu_board=0,
        )
        if self.architecture is not None:
            facts.gcnArchName = self.architecture
        return facts


GPUS = {
    "sm_80": Gpu("NVIDIA A100-SXM4-80GB", (8, 0), 108, 80 << 30, 40 << 20, 1593000, 5120),
    "sm_90a": Gpu("NVIDIA H100 80GB HBM3", (9, 0), 132, 80 << 30, 50 << 20, 2619000, 5120),
    "gfx942": Gpu("AMD Instinct MI300X", (9, 4), 304, 192 << 30, 4 << 20, 1300000, 8192, "gfx942:sramecc+:xnack-"),
    "gfx950": Gpu("AMD Instinct MI355X", (9, 5), 256, 288 << 30, 4 << 20, 2000000, 8192, "gfx950:sramecc+:xnack-"),
}
