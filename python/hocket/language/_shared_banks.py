"""How often the lanes of a warp wait for each other in shared memory, from the layouts alone.

Shared memory is a row of banks of 4 bytes. A wavefront takes one word from each bank, and gives it to all lanes that
want it; lanes that want different words of one bank need further wavefronts.
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
    """The extra wavefronts that one warp takes to load (or store) a tile once, because of bank conflicts.

    0 means that there are no conflicts. The count covers all the instructions that `smem.load(layout)` or
    `smem.store(x)` becomes, with the widths they are lowered to and the phases in which the target serves lanes; if
    padding makes warps differ, it is that of the warp with the most. Gluon's function of this name divides by the
    wavefronts that an access without conflicts takes; 0 is 0 in both.

    In a kernel, for values of the kernel:

        gl.static_assert(gl.bank_conflicts(x.type, smem.type) == 0)

    On the host, for types made by hand and a named target:

        x = gl.distributed_type(gl.float16, [64, 64], gl.BlockedLayout([1, 8], [8, 8], [4, 1], [1, 0]))
        smem = gl.shared_memory_descriptor_type(gl.float16, [64, 64], gl.SwizzledSharedLayout(8, 1, 8, [1, 0]))
        assert gl.bank_conflicts(x, smem, target="gfx950") == 0

    Args:
        distr_ty: the type of the tensor, `x.type`.
        shared_ty: the type of shared memory, `smem.type`; same shape and dtype. A part of a buffer is counted as if it
            were the part at the buffer's beginning.
        access: whether the tensor is loaded from shared memory or stored to it: some targets serve stores differently.
        target: "sm_80", "sm_90a", "gfx942" or "gfx950". In a kernel, None is the kernel's own target; on the host a
            target must be named.

    Raises ValueError on the host, CompileError in a kernel, if the types do not fit each other or the target. The
    source of each target's phases is in csrc/target/SharedPhases.cpp.

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


# The front end gives it the same meaning in kernels; unlike other builtins it also works outside of them.
bank_conflicts.__hocket_builtin__ = "bank_conflicts"
