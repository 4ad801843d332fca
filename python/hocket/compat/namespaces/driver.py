"""`triton.runtime.driver`: `driver.active` describes the GPU that launches run on."""

from __future__ import annotations

import importlib
from typing import Any

from ... import _core
from ...runtime import places
from ..gpu_targets import GPUTarget, gpu_target

__all__ = ["active", "default"]


class _Utils:
    def get_device_properties(self, device: int) -> dict[str, Any]:
        """Returns the resource limits of a block and the number of multiprocessors, under Triton's names."""
        target = active.target_name()
        info = next(info for info in _core.targets() if info.name == target)
        facts = {"max_shared_mem": info.max_shared_bytes, "warpSize": info.warp_size, "max_num_regs": 65536}
        if places.chosen_target() is not None:
            from ..gpus import GPUS

            facts["multiprocessor_count"] = GPUS[target].multiprocessors
        else:
            facts["multiprocessor_count"] = _core.device_info(device).multiprocessors
        return facts


class Driver:
    """The GPU on which launches of this process run: the emulated GPU if there is one, otherwise the real GPU."""

    utils = _Utils()

    def target_name(self) -> str:
        """Returns the target's name in Hocket, such as "sm_90a"."""
        if (emulated := places.chosen_target()) is not None:
            return emulated
        if _core.device_count() == 0:
            raise RuntimeError(
                f"there is no GPU: {_core.why_no_device()}\n"
                "  hint: python -m hocket.compat --emulate sm_90a FILE runs it on an emulated one"
            )
        return _core.device_info(_core.current_device()).target

    def is_active(self) -> bool:
        return places.chosen_target() is not None or _core.device_count() > 0

    def get_current_target(self) -> GPUTarget:
        return gpu_target(self.target_name())

    def get_current_device(self) -> int:
        return 0 if places.chosen_target() is not None else _core.current_device()

    def set_current_device(self, device: int) -> None:
        self.get_device_interface().set_device(device)

    def get_current_stream(self, device: int | None = None) -> int:
        if places.chosen_target() is not None:
            return 0
        return _core.current_stream(self.get_current_device() if device is None else device)

    def get_active_torch_device(self) -> Any:
        return importlib.import_module("torch").device("cuda", self.get_current_device())

    def get_device_interface(self) -> Any:
        return importlib.import_module("torch").cuda

    def get_device_capability(self, device: int = 0) -> tuple[int, int]:
        return self.get_device_interface().get_device_capability(device)

    def get_benchmarker(self) -> Any:
        from ...testing import do_bench

        return do_bench

    def get_empty_cache_for_benchmark(self) -> Any:
        torch = importlib.import_module("torch")
        return torch.empty(256 * 2**20 // 4, dtype=torch.int32, device="cuda")

    def clear_cache(self, cache: Any) -> None:
        cache.zero_()


active = default = Driver()
