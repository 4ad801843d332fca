"""Functions that model machine code and its execution (csrc/bindings/CodeFacts.cpp)."""

def occupancy(target: str, warps: int, registers: int, shared_bytes: int) -> tuple[int, int, str]:
    """Returns (blocks per multiprocessor, warps per SIMD unit, the resource that limits them).

    A block has `warps` warps with `registers` registers per lane. On AMD, `registers` is the sum of vector and
    accumulation registers.
    """

def cache_dies(target: str) -> int:
    """Returns the number of dies that have their own L2 cache; 1 for a GPU with one L2 cache. A launch distributes its
    blocks round-robin over the dies."""

def matrix_clocks(target: str, m: int, blocks: int, rate: str) -> int:
    """Returns the clocks of the matrix instruction that computes `blocks` results of m x m elements; 0 if the target
    has no such instruction.

    `rate` is "narrow", "f32", "f64", "scaled" or "scaled8".
    """

def costs(target: str) -> dict[str, int]:
    """Returns the instruction costs that the schedule model uses, by name; see csrc/target/CostTable.h."""

def shared_clocks(target: str, is_store: bool, bytes: int) -> int:
    """Returns the clocks for which one warp's access of `bytes` per lane occupies shared memory, without bank
    conflicts."""

def loop_accesses(
    hk: str,
) -> list[tuple[int, list[str], list[tuple[bool, int, int, int]], list[tuple[str, int, int, int]]]]:
    """Returns the memory accesses of each innermost loop of `kernel.asm["hk"]`.

    The entry of a loop is (depth, labels of stages, accesses of shared memory, accesses of global memory).
    An access of shared memory, for the warp with the most wavefronts, is
        (True for a store, index of its stage, wavefronts, wavefronts without bank conflicts).
    An access of global memory is
        ("loads", "stores" or "copies", index of its stage, bytes of the accessed cache lines, bytes of the tile).

    The stage with index 0 begins after the first barrier in the body of the loop.
    """
