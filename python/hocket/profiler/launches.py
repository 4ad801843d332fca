"""A profiled launch, with the records of its warps."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from .correction import corrected
from .decoding import FREQUENCY_SOURCES, MARK, Decoded, decode
from .facts import ProfileFacts
from .spans import spans_of


class ProfiledLaunch:
    """A launch with its records, which are decoded on demand.

    Attributes:
        number: index of the launch in the profile.
        kernel, target: names of the kernel and the target.
        grid: number of blocks in each dimension.
        facts: properties of the records, from the compiler.
        memory: the bytes that the kernel wrote.
        blocks: number of blocks in the memory.
        place: the ordinal of a GPU, or the target of an emulated one.
        cycles_of_record: cost of a record for its warp, which is subtracted in `records` and `spans`.
    """

    def __init__(
        self,
        number: int,
        kernel: str,
        target: str,
        grid: tuple[int, int, int],
        facts: ProfileFacts,
        memory: np.ndarray,
        *,
        place: int | str = "",
        cycles_per_ns: float = 0.0,
        cycles_of_record: float = 0.0,
        is_model: bool = False,
    ):
        self.number, self.kernel, self.target, self.grid = number, kernel, target, grid
        self.facts, self.memory, self.place = facts, memory, place
        self.blocks = len(memory) // facts.bytes_per_cta
        self.cycles_of_record = cycles_of_record
        self.is_model = is_model
        self._cycles_per_ns = cycles_per_ns
        #: Number of nanoseconds in a tick of the steady clock. On the emulator, the virtual clock is the steady clock:
        #: a cycle is a nanosecond.
        self.steady_ns = 1.0 if is_model else facts.steady_ns

    def correct(self, cycles_of_record: float) -> None:
        """Sets the cost of a record, which `records` and `spans` then subtract."""
        self.cycles_of_record = cycles_of_record
        self.__dict__.pop("records", None)
        self.__dict__.pop("_paired", None)

    @cached_property
    def decoded(self) -> Decoded:
        """The decoded records of the launch."""
        return decode(
            self.memory,
            self.facts,
            self.blocks,
            launch=self.number,
            cycles_per_ns=self._cycles_per_ns,
            steady_ns=self.steady_ns,
        )

    @cached_property
    def records(self) -> np.ndarray:
        """The records with corrected cycles, as an array of RAW_RECORD."""
        per_ns = np.ones(self.blocks)
        per_ns[self.decoded.blocks["cta"]] = self.decoded.blocks["cycles_per_ns"]
        return corrected(self.decoded.records, self.cycles_of_record, per_ns)

    @cached_property
    def _paired(self) -> tuple[np.ndarray, int]:
        return spans_of(self.records, self.decoded.records, self.facts)

    @property
    def spans(self) -> np.ndarray:
        """The spans, sorted by block, warp and begin, as an array of SPAN."""
        return self._paired[0]

    @property
    def unpaired(self) -> int:
        """Number of records without a partner: begins without an end, and ends without a begin."""
        return self._paired[1]

    def sites_of_unpaired(self) -> list[int]:
        """Returns the sites of the unpaired records."""
        count = len(self.facts.sites)
        halves = np.bincount(self.records["site"][self.records["kind"] != MARK], minlength=count)
        return np.flatnonzero(halves - 2 * np.bincount(self.spans["site"], minlength=count)).tolist()

    @property
    def dropped(self) -> int:
        """Number of records that were dropped because the buffer was full."""
        return int(self.decoded.units["dropped"].sum())

    @property
    def written(self) -> int:
        """Largest number of records that a warp has written, including dropped records."""
        return int(self.decoded.units["written"].max(initial=0))

    @property
    def frequency_source(self) -> str:
        """Name of the source of the clock frequency; "virtual clock" on the emulator."""
        if self.is_model:
            return "virtual clock"
        blocks = self.decoded.blocks
        return FREQUENCY_SOURCES[int(blocks["source"].max())] if len(blocks) else FREQUENCY_SOURCES[-1]

    def recorded_cycles(self) -> float:
        """Returns the total time of the recording warps: the sum of recorded lifetimes. Without recorded lifetimes, the
        time of a warp is from its first to its last record."""
        lives = [site.id for site in self.facts.sites if site.kind == "warp"]
        of_lives = np.isin(self.spans["site"], lives)
        if of_lives.any():
            return float((self.spans["end"] - self.spans["begin"])[of_lives].sum())
        records = self.records
        if not len(records):
            return 0.0
        key = records["cta"].astype(np.int64) << 16 | records["unit"]
        starts = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]]))
        last = np.concatenate([starts[1:], [len(key)]]) - 1
        return float((records["cycle"][last] - records["cycle"][starts]).sum())


def start_ns(launches: list[ProfiledLaunch], launch: ProfiledLaunch) -> float:
    """Returns the start time of a launch in nanoseconds, relative to the start of the first launch on the launch's
    target."""
    first = next(other for other in launches if other.target == launch.target)
    return (launch.decoded.steady_origin - first.decoded.steady_origin) * launch.steady_ns
