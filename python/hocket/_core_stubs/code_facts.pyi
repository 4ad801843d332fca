"""Models of machine code: csrc/bindings/CodeFacts.cpp."""

def occupancy(target: str, warps: int, registers: int, shared_bytes: int) -> tuple[int, int, str]:
    """Returns (blocks per multiprocessor, warps per SIMD unit, the resource that limits them).

    The blocks have `warps` warps with `registers` registers per lane: on AMD, vector and accumulation registers
    together.
    """

def cache_dies(target: str) -> int:
    """Returns the number of dies with an L2 cache each. A launch distributes its blocks round-robin over them. 1: one
    L2 cache."""

def matrix_clocks(target: str, m: int, blocks: int, rate: str) -> int:
    """Returns the clocks of a matrix instruction with an m x m result in each of its blocks, or 0 if there is none.

    `rate` is "narrow", "f32", "f64", "scaled" or "scaled8".
    """

def costs(target: str) -> dict[str, int]:
    """Returns the costs that the model of a schedule uses, by name; see csrc/target/CostTable.h."""

def shared_clocks(target: str, is_store: bool, bytes: int) -> int:
    """Returns the clocks for which one warp's access of `bytes` per lane occupies shared memory, without bank
    conflicts."""

def loop_accesses(
    hk: str,
) -> list[tuple[int, list[str], list[tuple[bool, int, int, int]], list[tuple[str, int, int, int]]]]:
    """Returns the memory accesses of each innermost loop of `kernel.asm["hk"]`.

    Each loop: (depth, labels of stages, accesses of shared memory, accesses of global memory).
    Each access of shared memory, for the warp that takes longest:
        (True for a store, index of its stage, wavefronts, wavefronts without conflicts).
    Each access of global memory:
        ("loads", "stores" or "copies", index of its stage, bytes of the cache lines that it touches, bytes of the
        tile).

    The first stage follows the first barrier of the loop's body.
    """
