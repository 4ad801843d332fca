"""Emulation of PyTorch's "cuda" device in this process.

Tensors created on "cuda" lie in host memory, where the emulator's kernels read and write them. A
`torch.overrides.TorchFunctionMode` (host_tensors) intercepts PyTorch's functions, so that the executed file sees the
same devices as on a machine with a GPU. The functions of `torch.cuda` that query the GPU are replaced (torch_cuda).

The TorchFunctionMode is active only in the thread that starts it. Other threads must derive new tensors from existing
tensors.
"""

from __future__ import annotations

import importlib.util

from ..runtime import places


class _State:
    target: str | None = None


def emulated_target() -> str | None:
    """Returns the emulated GPU of this process, or None."""
    return _State.target


def emulate(target: str) -> None:
    """Runs all later kernels on an emulated `target`, and emulates PyTorch's "cuda" device if PyTorch is installed.

    Raises: LaunchError for an unknown target; RuntimeError if the process already emulates another target.
    """
    if _State.target is not None:
        if _State.target != target:
            raise RuntimeError(f"this process already emulates {_State.target}, so it cannot emulate {target}")
        return
    places.emulated_target.set(places.check_target(target))  # the emulated target stays set until the process ends
    _State.target = target
    if importlib.util.find_spec("torch") is not None:
        from . import host_tensors, torch_cuda

        torch_cuda.stand_in(target)
        host_tensors.start()
