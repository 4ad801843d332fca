"""Bank conflicts of shared memory, computed from layouts alone.

Shared memory consists of banks of 4 bytes. In one wavefront, each bank serves one word, for all lanes that access this
word. Lanes that access different words of one bank need further wavefronts.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from ._types import distributed_type, shared_memory_descriptor_type


def bank_conflicts(
    distr_ty: distributed_type,
    shared_ty: shared_memory_descriptor_type,
    access: Literal["load", "store"] = "load",
    target: str | None = None,
) -> int:
    """Returns the number of additional wavefronts per warp, because of bank conflicts, for one load or store of a tile.

    0 means that there are no conflicts. The number is the sum over all instructions of `smem.load(layout)` or
    `smem.store(x)`. The function considers the actual width of each instruction, and the phases in which the target
    serves lanes. If padding makes the number of wavefronts differ between warps, the result is the largest number.
    Gluon's `bank_conflicts` returns a different value: the number of additional wavefronts divided by the number of
    wavefronts without conflicts.

    In a kernel, for values of the kernel:

        gl.static_assert(gl.bank_conflicts(x.type, smem.type) == 0)

    On the host, for types that are constructed explicitly and a named target:

        x = gl.distributed_type(gl.float16, [64, 64], gl.BlockedLayout([1, 8], [8, 8], [4, 1], [1, 0]))
        smem = gl.shared_memory_descriptor_type(gl.float16, [64, 64], gl.SwizzledSharedLayout(8, 1, 8, [1, 0]))
        assert gl.bank_conflicts(x, smem, target="gfx950") == 0

    Args:
        distr_ty: the type of the tensor, `x.type`.
        shared_ty: the type of shared memory, `smem.type`, with the shape and dtype of `distr_ty`. A part of a buffer is
            treated as if it were at the beginning of the buffer.
        access: "load" if the tensor is loaded from shared memory, "store" if the tensor is stored to shared memory. On
            some targets, the phases of stores differ from the phases of loads.
        target: "sm_80", "sm_90a", "gfx942" or "gfx950". In a kernel, None is the kernel's target; on the host, a target
            is required.

    Raises ValueError on the host, CompileError in a kernel, if the types do not match each other or the target.
    csrc/target/SharedPhases.cpp has the source of each target's phases.

    Example:
        >>> column = gl.allocate_shared_memory(gl.float32, [32, 32], gl.SwizzledSharedLayout(1, 1, 1, [0, 1]))
        >>> lanes_in_a_row = gl.BlockedLayout([1, 1], [1, gl.num_lanes()], [gl.num_warps(), 1], [1, 0])
        >>> gl.bank_conflicts(gl.distributed_type(gl.float32, [32, 32], lanes_in_a_row), column.type)
        224
    """
    from .. import _core

    if target is None:
        raise ValueError('bank_conflicts outside of a kernel needs a target, such as target="gfx950"')
    return max(actual - ideal for actual, ideal in _core.bank_wavefronts(distr_ty, shared_ty, access, target))


# The front end treats `bank_conflicts` as a builtin in kernels. Unlike other builtins, the function also works on the
# host.
bank_conflicts.__hocket_builtin__ = "bank_conflicts"
