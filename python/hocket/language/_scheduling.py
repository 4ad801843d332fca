"""Requests to the instruction scheduler of the back end, which change no result."""

from __future__ import annotations

from ._builtin import builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


@builtin
def sched_barrier(computed: Sequence[Any] = ()) -> None:
    """Prevents the instruction scheduler from moving instructions across this program point. The call emits no
    instruction.

    The fence is only for the instruction scheduler: it does not synchronize warps or order their memory accesses. On
    AMD GPUs, no instruction crosses the fence. However, an earlier pass may have moved arithmetic below the fence if
    only later code uses the results. Pass such results as `computed`. NVIDIA's assembler has no such fence. On NVIDIA
    GPUs, waits, barriers and memory accesses after the fence stay after the computation of `computed`. All other
    instructions may cross the fence.

    Args:
        computed: tensors and scalars that must be computed before later code. On NVIDIA GPUs, each register of
            `computed` costs an instruction, so pass one sum instead of several terms. On AMD GPUs, this argument adds
            no instruction.

    Example:
        >>> x = gl.arange(0, 4, L)
        >>> gl.sched_barrier(computed=[x])
        >>> y = gl.sum(x)
        >>> gl.sched_barrier()
        >>> y
        6
    """


@builtin
def sched_group_barrier(kinds: str | Sequence[str], count: int, group: int = 0) -> None:
    """Requests that the instruction scheduler put `count` instructions of `kinds` next in the sequence `group`.

    Consecutive calls with the same `group` describe the order of the instructions that precede the calls: `count`
    instructions of the first call, then those of the second call, and so on. Only AMD's back end follows the request,
    as far as dependences allow, and within a sequence of instructions without branches and without `gl.sched_barrier`.
    On NVIDIA GPUs and on the emulator, the call only checks its arguments: NVIDIA's assembler has no such request, and
    the emulator executes in program order. The call never changes a result.

    Args:
        kinds: a kind of instructions, or several: "alu" (all without memory accesses and side effects), "valu", "salu",
            "mfma", "trans" (transcendental), "vmem" (accesses of global memory, which include copies into LDS),
            "vmem_read", "vmem_write", "lds" (accesses of LDS), "lds_read", "lds_write", "lds_copy" (copies into LDS).
        count: number of instructions of these kinds, at least 1.
        group: number of the sequence, 0 or more. Sequences do not affect each other.

    Example:
        >>> for _ in gl.static_range(4):  # four times: two MFMAs, then one read of LDS
        ...     gl.sched_group_barrier("mfma", 2)
        ...     gl.sched_group_barrier("lds_read", 1)
    """
