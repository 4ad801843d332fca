"""A ring of buffers in shared memory, which producer warps fill and consumer warps read.

                      +--------------------------- stages ---------------------------+
    producer  acquire |  buffer 0   |  buffer 1   |  buffer 2   |  buffer 3   | ...  |  wait      consumer
              commit  |  full[0]    |  full[1]    |  full[2]    |  full[3]    |      |  release
                      |  empty[0]   |  empty[1]   |  empty[2]   |  empty[3]   |      |
                      +---------------------------------------------------------------+

Fill number n of the ring uses stage n % stages and phase n // stages of the stage's mbarriers. The producer waits for
the previous phase of `empty`, which counts as complete for the first use of a stage. The consumer waits for the current
phase of `full`.
"""

from __future__ import annotations

from ._aggregate import aggregate, must_use_result
from ._builtin import written_in_language
from ._constexpr import constexpr, constexpr_function
from ._control import static_range
from ._creation import to_tensor
from ._debug import static_assert
from ._dtype import int32, uint32
from ._elementwise import where
from ._grid import num_lanes
from ._shared_descriptor import shared_memory_descriptor
from ._tensor import tensor
from .amd.cdna4 import async_copy as copies_into_lds
from .nvidia.ampere import async_copy, mbarrier
from .nvidia.hopper.mbarrier import expect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["RingBuffer", "RingConsumer", "RingPosition", "RingProducer", "RingSlot"]

_FILLS = ("tma", "cp.async", "stores", "groups")


@constexpr_function
def _stages_of(shapes, stages):
    """Returns the number of stages of a ring, or an error message."""
    sizes = [shape[0] for shape in shapes]
    if stages is not None:
        sizes.append(stages)
    if not sizes:
        return "gl.RingBuffer needs buffers, or the number of stages"
    if any(size != sizes[0] for size in sizes):
        listed = " and ".join(map(str, sizes))
        return f"gl.RingBuffer: the first dimension of every buffer is the number of stages, but these are {listed}"
    if type(sizes[0]) is not int or sizes[0] < 1:
        return f"gl.RingBuffer: stages must be a positive integer, not {sizes[0]!r}"
    return sizes[0]


@constexpr_function
def _problem(fill, producers, consumers, fill_bytes, has_buffers):
    """Returns an error message for invalid arguments of `RingBuffer`, or None."""
    if fill not in _FILLS:
        return f"gl.RingBuffer: fill must be one of {', '.join(map(repr, _FILLS))}, not {fill!r}"
    for name, count, least in (("producers", producers, 1), ("consumers", consumers, 0)):
        if type(count) is not int or count < least:
            return f"gl.RingBuffer: {name} must be an integer of at least {least}, not {count!r}"
    if fill == "groups" and consumers != 0:
        return (
            'gl.RingBuffer: with fill="groups", the warps that start the copies also read the buffers and need no '
            "`release`, so consumers must be 0"
        )
    if fill == "tma" and fill_bytes is None and not has_buffers:
        return 'gl.RingBuffer: with fill="tma" and no buffers, fill_bytes must be the bytes that TMA copies per stage'
    if fill != "tma" and fill_bytes is not None:
        return f'gl.RingBuffer: fill_bytes is for fill="tma", not {fill!r}'
    return None


@constexpr_function
def _is_count(stages):
    return type(stages) is int


@constexpr_function
def _is_power_of_two(number):
    return number & (number - 1) == 0


@constexpr_function
def _bytes_per_stage(sizes, stages, fill_bytes):
    return sum(sizes) // stages if fill_bytes is None else fill_bytes


@aggregate
class RingPosition:
    """A position in a ring: the stage and the phase bit of one fill. `next()` is the position of the next fill.

    A kernel that cannot number its fills carries a position through its loops instead of a number. If the number of
    stages is not a power of two, a position also avoids a division.

    Fields:
        index: number of the stage.
        phase: phase bit of the stage's mbarriers, 0 or 1.
        stages: number of stages of the ring.
    """

    index: tensor
    phase: tensor
    stages: constexpr

    @must_use_result
    @written_in_language
    def next(self):
        """Returns the position of the next fill."""
        is_last = self.index == self.stages - 1
        return RingPosition(where(is_last, 0, self.index + 1), self.phase ^ is_last.to(int32), self.stages)


@written_in_language
def _position(count, stages):
    """Returns the position of fill number `count`. If `count` is a position, the result is `count`."""
    if isinstance(count, RingPosition):
        return count
    number = to_tensor(count)
    if _is_power_of_two(stages):
        return RingPosition(number & (stages - 1), (number & stages) // stages, stages)
    unsigned = number.to(uint32)  # the remainder of unsigned integers takes fewer instructions
    return RingPosition((unsigned % stages).to(int32), (unsigned // stages & 1).to(int32), stages)


@aggregate
class RingSlot:
    """One stage of a ring: the buffers of the stage, and the mbarrier at which copies into these buffers arrive.

    Fields:
        index: number of the stage.
        buffers: handles of the stage's shared memory, one for each buffer of the ring.
        full: the mbarrier for `tma.async_load`; None for rings without mbarriers.
    """

    index: tensor
    buffers: tuple
    full: shared_memory_descriptor | None

    @property
    @written_in_language
    def buffer(self):
        """The buffer of the stage, for rings with one buffer per stage."""
        static_assert(len(self.buffers) == 1, "`buffer` is for rings of one buffer: write `buffers[i]`")
        return self.buffers[0]


@aggregate
class _RingView:
    """Base class of the views `RingProducer` and `RingConsumer`: the fields of a ring."""

    buffers: tuple
    full: shared_memory_descriptor | None
    empty: shared_memory_descriptor | None
    stages: constexpr
    fill: constexpr
    fill_bytes: constexpr
    per_warp: constexpr

    @written_in_language
    def position(self, count):
        """Returns the position of fill number `count`, a `RingPosition`."""
        return _position(count, self.stages)

    @written_in_language
    def slot(self, position):
        """Returns the stage of a fill, and does not wait for the fill.

        Args:
            position: number of the fill, or a `RingPosition`.
        """
        index = _position(position, self.stages).index
        full = None
        if self.full is not None:
            full = self.full.index(index)
        return RingSlot(index, [buffer.index(index) for buffer in self.buffers], full)

    @written_in_language
    def acquire(self, position=None, pred=True):
        """Causes the compile error that only a producer can acquire a stage."""
        static_assert(False, "`acquire` is for producers: call it on `ring.producer()`")

    @written_in_language
    def commit(self, position=None):
        """Causes the compile error that only a producer can complete a fill."""
        static_assert(False, "`commit` is for producers: call it on `ring.producer()`")

    @written_in_language
    def wait(self, position=None, outstanding: constexpr = 0):
        """Causes the compile error that only a consumer can wait for a fill."""
        static_assert(False, "`wait` is for consumers: call it on `ring.consumer()`")

    @written_in_language
    def release(self, position=None, pred=True):
        """Causes the compile error that only a consumer can release a stage."""
        static_assert(False, "`release` is for consumers: call it on `ring.consumer()`")


@aggregate
class RingProducer(_RingView):
    """The view of the warps that fill a ring: `acquire`, then copies or stores, then `commit` (except with TMA)."""

    @written_in_language
    def acquire(self, position, pred=True):
        """Waits until all consumers have released the stage. Returns the stage as a `RingSlot`.

        With `fill="tma"`, `acquire` also sets the number of bytes that `slot.full` expects from the copies.

        Args:
            position: number of the fill, or a `RingPosition`.
            pred: a scalar; if `pred` is false, the call does not wait and expects no bytes.
        """
        position = _position(position, self.stages)
        slot = self.slot(position)
        if self.empty is not None:
            mbarrier.wait(self.empty.index(position.index), position.phase ^ 1, pred=pred)
        if self.fill == "tma":
            expect(slot.full, self.fill_bytes, pred)
        return slot

    @written_in_language
    def commit(self, position=None):
        """Completes a fill as soon as the stores or copies that the warps have started are complete.

        Args:
            position: number of the fill, or a `RingPosition`. The argument has no effect for `fill="groups"`.
        """
        static_assert(self.fill != "tma", "a fill by TMA needs no `commit`: its bytes complete it. Leave out the call")
        if self.fill == "groups":
            if num_lanes() == 64:  # CDNA
                copies_into_lds.commit_group()
            else:
                async_copy.commit_group()
        else:
            static_assert(position is not None, "`commit` needs the position of the fill")
            full = self.full.index(_position(position, self.stages).index)
            if self.fill == "cp.async":
                async_copy.mbarrier_arrive(full, increment_count=False)
            else:
                mbarrier.arrive(full)


@aggregate
class RingConsumer(_RingView):
    """The view of the warps that read a ring: `wait`, then loads or MMAs, then `release`."""

    @written_in_language
    def wait(self, position, outstanding: constexpr = 0):
        """Waits until a stage is full. Returns the stage as a `RingSlot`.

        Args:
            position: number of the fill, or a `RingPosition`.
            outstanding: for `fill="groups"`, the number of later fills, of all rings together, that may still be in
                flight.
        """
        position = _position(position, self.stages)
        slot = self.slot(position)
        if self.fill == "groups":
            if num_lanes() == 64:  # CDNA
                copies_into_lds.wait_group(outstanding)
            else:
                async_copy.wait_group(outstanding)
        else:
            static_assert(outstanding == 0, 'wait: `outstanding` is for rings with fill="groups"')
            mbarrier.wait(slot.full, position.phase)
        return slot

    @written_in_language
    def release(self, position, pred=True):
        """Releases a stage to the producers. Reads of the stage must be complete.

        Args:
            position: number of the fill, or a `RingPosition`.
            pred: a scalar; if `pred` is false, nothing happens.
        """
        static_assert(
            self.empty is not None,
            "this ring has no consumers to wait for (consumers=0): the warps that fill it also read it. Leave out "
            "`release`",
        )
        empty = self.empty.index(_position(position, self.stages).index)
        mbarrier.arrive(empty, pred=pred, per_warp=self.per_warp)


@aggregate
class RingBuffer(_RingView):
    """A ring of buffers in shared memory, and the barriers between producer warps and consumer warps.

    Args:
        buffers: shared memory whose first dimension is the stage: one handle, or a tuple of handles if a stage has
            several tiles.
        fill: how stages are filled.
            "tma": by TMA copies. The bytes of the copies complete the phase of the mbarrier `slot.full`. "cp.async": by
            asynchronous copies of all threads of the producer; `commit` follows them. "stores": by stores of the
            producer; `commit` follows them. "groups": by asynchronous copies in commit groups (cp.async, or AMD's
            copies into LDS). The warps that start the copies also wait for the copies. The ring has no mbarriers.
        consumers: number of partitions that release a stage, or, with `per_warp`, number of warps. 0 if the warps that
            fill the ring also read the ring. With `consumers=0`, program order releases stages, without arrivals.
        producers: with "stores", number of partitions that call `commit`; with "cp.async", number of warps that call
            `commit`.
        per_warp: True if each consumer warp releases a stage separately, which avoids a barrier of the partition.
        stages: number of stages, for a ring whose buffers the kernel indexes itself.
        fill_bytes: bytes of the TMA copies of a stage; by default all bytes of the stage's buffers.

    Example:
        tiles = gl.allocate_shared_memory(gl.float16, [4, *desc.block_shape], desc.layout)
        ring = gl.RingBuffer(tiles, consumers=1)
        gl.warp_specialize([(read, (ring.consumer(), steps)), (fill, (desc, ring.producer(), steps))], [1], [24])
        ring.invalidate()

    `fill` runs `slot = producer.acquire(step)` and `tma.async_load(desc, [0, step], slot.full, slot.buffer)`, and
    `read` runs `slot = consumer.wait(step)`, reads `slot.buffer`, and runs `consumer.release(step)`.
    """

    @written_in_language
    def __init__(
        self,
        buffers: Any = (),
        *,
        fill: constexpr = "tma",
        consumers: constexpr = 1,
        producers: constexpr = 1,
        per_warp: constexpr = False,
        stages: constexpr = None,
        fill_bytes: constexpr = None,
    ):
        handles = buffers
        if isinstance(buffers, shared_memory_descriptor):
            handles = (buffers,)
        number: constexpr = _stages_of([handle.shape for handle in handles], stages)
        static_assert(_is_count(number), number)
        problem: constexpr = _problem(fill, producers, consumers, fill_bytes, len(handles) > 0)
        static_assert(problem is None, problem)
        static_assert(
            fill == "groups" or num_lanes() == 32,
            'gl.RingBuffer: CDNA has no mbarriers: use fill="groups", with which the warps that start the copies also '
            "wait for them",
        )
        self.buffers = handles
        self.stages = number
        self.fill = fill
        self.per_warp = per_warp
        self.fill_bytes = None
        if fill == "tma":
            self.fill_bytes = _bytes_per_stage([handle.nbytes_per_cta for handle in handles], number, fill_bytes)
        self.full = None
        self.empty = None
        if fill != "groups":
            arrivals: constexpr = 32 * producers if fill == "cp.async" else producers
            full = mbarrier.allocate_mbarrier(batch=number)
            self.full = full
            if consumers > 0:
                empty = mbarrier.allocate_mbarrier(batch=number)
                self.empty = empty
            for stage in static_range(number):
                mbarrier.init(full.index(stage), count=arrivals)
                if consumers > 0:
                    mbarrier.init(empty.index(stage), count=consumers)

    @written_in_language
    def producer(self):
        """Returns the view for the warps that fill the ring."""
        return RingProducer(self.buffers, self.full, self.empty, self.stages, self.fill, self.fill_bytes, self.per_warp)

    @written_in_language
    def consumer(self):
        """Returns the view for the warps that read the ring."""
        return RingConsumer(self.buffers, self.full, self.empty, self.stages, self.fill, self.fill_bytes, self.per_warp)

    @written_in_language
    def invalidate(self):
        """Invalidates the mbarriers after their last use, so that their memory can be reused."""
        for stage in static_range(self.stages):
            if self.full is not None:
                mbarrier.invalidate(self.full.index(stage))
            if self.empty is not None:
                mbarrier.invalidate(self.empty.index(stage))
