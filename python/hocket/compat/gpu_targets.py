"""Triton's description of the GPU that a kernel is compiled for."""

from __future__ import annotations

from typing import NamedTuple


class GPUTarget(NamedTuple):
    """Triton's description of a kind of GPU, such as ("cuda", 90, 32) or ("hip", "gfx950", 64)."""

    backend: str
    arch: int | str
    warp_size: int

    @property
    def hocket_name(self) -> str:
        """The target's name in Hocket, such as "sm_90a" or "gfx950"."""
        if self.backend != "cuda":
            return str(self.arch).partition(":")[0]
        return {80: "sm_80", 90: "sm_90a"}.get(int(self.arch), f"sm_{self.arch}")


def gpu_target(name: str) -> GPUTarget:
    """Returns the GPUTarget of a target named as in Hocket, such as "sm_90a"."""
    if name.startswith("sm_"):
        return GPUTarget("cuda", int(name[3:].rstrip("af")), 32)
    return GPUTarget("hip", name, 64)
