"""A process in which PyTorch's "cuda" is an emulated GPU.

Tensors that are asked for on "cuda" lie in the memory of the host, where the emulator's kernels find them. A
`torch.overrides.TorchFunctionMode` (host_tensors) stands between the file and PyTorch and keeps what a file sees of
devices as it would be; functions of `torch.cuda` that ask about the GPU are replaced by others (torch_cuda).

The mode holds in the thread that starts it. In other threads tensors must be made from those that there are.
"""

from __future__ import annotations

import importlib.util

from ..runtime import places


class _State:
    target: str | None = None


def emulated_target() -> str | None:
    """The emulated GPU of this process, None if there is none."""
    return _State.target


def emulate(target: str) -> None:
    """From now on: kernels run on an emulated `target`, and so does what PyTorch calls "cuda" if it is installed.

    Raises: LaunchError for an unknown target; RuntimeError if another one is emulated already.
    """
    if _State.target is not None:
        if _State.target != target:
            raise RuntimeError(f"this process emulates {_State.target} already, so not {target}")
        return
    places.emulated_target.set(places.check_target(target))  # for as long as the process lasts
    _State.target = target
    if importlib.util.find_spec("torch") is not None:
        from . import host_tensors, torch_cuda

        torch_cuda.stand_in(target)
        host_tensors.start()
