"""Exchange of sums along rows between the blocks of a cluster, which share each row (Hopper).

Each warp stores its partial results to the shared memory of all blocks by `async_store`. The stores complete on an
mbarrier of the receiving block, so an exchange waits for no other memory access, unlike a cluster barrier.
"""

from __future__ import annotations

from ... import aggregate, jit
from ... import language as gl
from ...language.nvidia import hopper
from ...language.nvidia.hopper import cluster, mbarrier


@aggregate
class Exchange:
    """Shared memory in which each block receives the partial results of all warps of the cluster, in two slots.

    A warp stores its values of exchange i + 2 into the slot of exchange i only after it has received the values of
    exchange i + 1 from all warps. Each warp sends those after it has read the slot of exchange i, so blocks need no
    other synchronization.
    """

    buffers: gl.shared_memory_descriptor
    received: gl.shared_memory_descriptor
    values: gl.constexpr

    @jit
    def parts(self, partials, number, cfg: gl.constexpr):
        """Stores the warp's `partials` to all blocks, as exchange number `number` of the launch, and returns the
        partials of all warps of all blocks: a tuple of tensors, [rows, blocks, warps], in the layout `cfg.exchange`."""
        slot = number % 2
        received = self.received.index(slot)
        mbarrier.expect(received, self.values * self.buffers.index(0).nbytes_per_cta)
        for value in gl.static_range(self.values):
            hopper.async_store(self.buffers.index(slot * self.values + value), partials[value], received)
        mbarrier.wait(received, number // 2 % 2)
        results = ()
        for value in gl.static_range(self.values):
            results += (self.buffers.index(slot * self.values + value).load(cfg.exchange),)
        return results


@jit
def make_exchange(values: gl.constexpr, cfg: gl.constexpr):
    """Allocates the shared memory of an Exchange of `values` tensors at a time. A cluster barrier must follow."""
    warps: gl.constexpr = cfg.tile.warps_per_cta[1]
    layout: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [2, 1, 0], copies_of(cfg.num_ctas, 3))
    buffers = gl.allocate_shared_memory(gl.float32, [2 * values, cfg.rows_per_tile, cfg.num_ctas, warps], layout)
    received = mbarrier.allocate_mbarrier(batch=2)
    for slot in gl.static_range(2):
        mbarrier.init(received.index(slot), count=1)
    return Exchange(buffers, received, values)


@gl.constexpr_function
def copies_of(num_ctas, rank):
    """Returns the `cga_layout` of tiles of which each block of a cluster holds a copy."""
    return [[0] * rank for _ in range(num_ctas.bit_length() - 1)]


@jit
def by_warp(values, cfg: gl.constexpr):
    """Returns a tile as [rows, blocks, accesses, warps, elements of the lanes of a warp]. Reductions over accesses
    precede reductions over lanes, which take shuffles."""
    warps: gl.constexpr = cfg.tile.warps_per_cta[1]
    access: gl.constexpr = cfg.vector * gl.num_lanes()
    accesses: gl.constexpr = cfg.block // (cfg.num_ctas * warps * access)
    return values.reshape([cfg.rows_per_tile, cfg.num_ctas, accesses, warps, access])


@jit
def over_cluster(parts, cfg: gl.constexpr):
    """Returns the sum of a tensor of `Exchange.parts` along each row."""
    return gl.convert_layout(gl.sum(gl.sum(parts, axis=2), axis=1), gl.SliceLayout(1, cfg.tile))


@jit
def sum_along_rows(values, exchange, number, cfg: gl.constexpr):
    """Returns the sums along rows of a tile. In a cluster, each block has a part of the tile, and the sums of these
    parts are exchanged, as exchange number `number` of the launch."""
    if cfg.num_ctas == 1:
        return gl.sum(values, axis=1)
    of_warps = gl.sum(gl.sum(by_warp(values, cfg), axis=2), axis=3)
    return over_cluster(exchange.parts((of_warps,), number, cfg)[0], cfg)


@jit
def begin_exchange(cfg: gl.constexpr):
    """Returns the Exchange of a kernel that calls `sum_along_rows`. `await_cluster` must follow. If
    `cfg.num_ctas` is 1, there is no exchange."""
    exchange = 0.0
    if cfg.num_ctas > 1:
        exchange = make_exchange(1, cfg)
        cluster.arrive()
    return exchange


@jit
def await_cluster(cfg: gl.constexpr):
    """Waits until all blocks of the cluster have called `begin_exchange`."""
    if cfg.num_ctas > 1:
        cluster.wait()
