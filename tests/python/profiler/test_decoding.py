"""Records out of bytes: those that kernels write, and those that nothing has written."""

import random

import numpy as np
import pytest
from encoder import BEGIN, END, EXT, MARK, Encoder, Facts, Site
from profiles import add_launch, profile_of

from hocket.errors import LaunchError
from hocket.profiler.decoding import decode

SITES = [Site(0, "load"), Site(1, "done", "mark", payload=True), Site(2, "copy", "token", payload=True)]


def test_fields_of_records():
    encoder = Encoder(Facts(SITES, [0, 4]), blocks=2)
    encoder.header(1, start=(1000, 500), end=(201_000, 400_500), hw_unit=77)
    encoder.span(0, 0, 520, 720, block=1)
    encoder.write(1, MARK, 1, 900, payload=0xABCDE, block=1)
    records = profile_of(encoder).records()
    assert records.dtype.names[:9] == ("launch", "cta", "unit", "warp", "site", "kind", "payload", "cycle", "ns")
    assert records[["cta", "unit", "warp", "site", "kind", "payload", "cycle"]].tolist() == [
        (1, 0, 0, 0, BEGIN, 0, 520),
        (1, 0, 0, 0, END, 0, 720),
        (1, 1, 4, 1, MARK, 0xABCDE, 900),
    ]
    # Block 1 began 1000 ns after block 0, and counts two cycles in a nanosecond.
    assert records["ns"].tolist() == [1010.0, 1110.0, 1200.0]


@pytest.mark.parametrize("clock_bits", (32, 44))
@pytest.mark.parametrize("keep_first", (False, True))
def test_a_full_buffer_drops_exactly(clock_bits, keep_first):
    capacity = 32
    encoder = Encoder(Facts(SITES, [0], capacity * 8), clock_bits=clock_bits, keep_first=keep_first)
    for i in range(3 * capacity + 1):
        encoder.write(0, MARK, 1, 7 * i, payload=i)
    profile = profile_of(encoder)
    records = profile.records()
    first = 0 if keep_first else 2 * capacity + 1
    assert records["cycle"].tolist() == [7 * (first + i) for i in range(capacity)]
    assert profile.dropped == 2 * capacity + 1
    assert f"note: {2 * capacity + 1} of {3 * capacity + 1} records were dropped" in str(profile.summary())


@pytest.mark.parametrize("capacity", (8, 1024))
def test_clocks_of_32_bits_are_unwrapped(capacity):
    encoder = Encoder(Facts(SITES, [0], capacity * 8))
    start = 2**32 - 100
    encoder.header(0, start=(0, start), end=(10**9, start + 40 * 2**31))
    for i in range(40):
        encoder.write(0, MARK, 1, start + i * 2**31 + i)
    cycles = profile_of(encoder).records()["cycle"]
    kept = min(capacity, 40)
    assert cycles.tolist() == [start + i * 2**31 + i for i in range(40 - kept, 40)]


def test_scopes_across_the_wrap_have_their_length():
    encoder = Encoder(Facts(SITES, [0]))
    encoder.header(0, start=(0, 2**32 - 100), end=(10**6, 2**32 + 10**6))
    encoder.span(0, 0, 2**32 - 10, 2**32 + 15)
    assert profile_of(encoder).summary().named("load").longest == 25


def test_payloads_of_32_bits():
    encoder = Encoder(Facts(SITES, [0]))
    encoder.write(0, MARK, 1, 10)
    encoder.words(0, EXT << 30 | 1 << 20, 0xDEADBEEF)
    assert profile_of(encoder).records()["payload"].tolist() == [0xDEADBEEF]


def test_launches_do_not_mix():
    encoders = [Encoder(Facts(SITES, [0])) for _ in range(2)]
    for number, encoder in enumerate(encoders):
        encoder.header(0, start=(5000 * number, 0), end=(5000 * number + 10**6, 10**6))
        encoder.span(0, 0, 10 + number, 30)
    profile = profile_of(encoders[0])
    add_launch(profile, encoders[1], kernel="other")
    records = profile.records()
    assert records[["launch", "cycle"]].tolist() == [(0, 10), (0, 30), (1, 11), (1, 30)]
    assert records["ns"].tolist() == [10, 30, 5011, 5030]
    assert [row.kernel for row in profile.summary()] == ["kernel", "other"]
    assert profile.raw(1) == bytes(encoders[1].memory)


def test_blocks_that_did_not_end():
    encoder = Encoder(Facts(SITES, [0]), blocks=3)
    encoder.span(0, 0, 10, 30, block=2)
    encoder.memory[: encoder.facts.bytes_per_cta] = bytes(encoder.facts.bytes_per_cta)
    encoder.header(1, start=(9, 9), end=(0, 0))
    profile = profile_of(encoder)
    assert profile.records()["cta"].tolist() == [2, 2]
    assert "note: 2 blocks did not run to their end" in str(profile.summary())


def test_how_long_a_cycle_is_when_the_launch_is_short():
    encoder = Encoder(Facts(SITES, [0]))
    encoder.header(0, start=(0, 0), end=(32, 100))
    encoder.span(0, 0, 0, 100)
    launch = profile_of(encoder, cycles_per_ns=2.0).launches[0]
    assert launch.frequency_source == "as the device says"
    assert launch.records["ns"].tolist() == [0, 50]
    assert "the launches are too short to measure how long a cycle is" in str(profile_of(encoder).summary())


# Bytes that nothing has written ---------------------------------------------------------------------------------------

ERRORS = {
    "a byte is missing": "it has 65663 bytes, and 1 blocks of 1 units have 1 x 65664",
    "magic": "block 0: the first word is 1, not 1179667272",
    "version": "block 0: the version of the format is 9, not 2",
    "flags": "block 0: unknown flags: 16384",
    "number": "block 0: its number is 7, not 0",
    "units": "block 0: the number of units is 2, not 1",
    "bytes": "block 0: the size of a unit is 64, not 65536",
    "steady clock": "block 0: the steady clock runs backwards",
    "cycles": "block 0: the cycle counter runs backwards",
    "site": "block 0, unit 0, record 2: there is no site 3 among 3",
    "payload": "block 0, unit 0, record 3: a payload follows no record",
}


@pytest.mark.parametrize("damage", ERRORS)
def test_errors_name_the_damage_of_a_buffer(damage):
    encoder = Encoder(Facts(SITES, [0]))
    encoder.span(0, 0, 10, 20)
    memory = encoder.memory
    words = memoryview(memory).cast("I")
    if damage == "site":
        encoder.write(0, MARK, 3, 30)
    elif damage == "payload":
        for _ in range(2):
            encoder.words(0, EXT << 30, 5)
    elif damage == "steady clock":
        encoder.header(0, start=(500, 0), end=(20, 10))
    elif damage == "cycles":
        encoder.header(0, start=(0, 500), end=(20, 10))
    elif damage != "a byte is missing":
        place, value = {
            "magic": (0, 1),
            "version": (1, 9),
            "flags": (1, 2 | 1 << 14),
            "number": (2, 7),
            "units": (4, 2),
            "bytes": (5, 64),
        }[damage]
        words[place] = value
    array = encoder.array[:-1] if damage == "a byte is missing" else encoder.array
    with pytest.raises(LaunchError) as raised:
        decode(array, encoder.facts, 1)
    assert str(raised.value) == "this is not the profile of the launch: " + ERRORS[damage]


def test_whatever_the_bytes_are():
    """Fuzzed: an error, or records and spans that make sense; never a crash."""
    numbers = random.Random(3)
    errors = read = 0
    for _ in range(3000):
        units = numbers.randrange(1, 4)
        facts = Facts(SITES, list(range(units)), 16 << numbers.randrange(4))
        encoder = Encoder(facts, numbers.randrange(1, 4), numbers.choice((32, 44)), numbers.random() < 0.5)
        for i in range(numbers.randrange(60)):
            kind, site = numbers.choice((BEGIN, END, MARK)), numbers.randrange(3)
            encoder.write(numbers.randrange(units), kind, site, 9 * i, i, numbers.randrange(len(encoder.counts)))
        for _ in range(numbers.randrange(5)):
            encoder.memory[numbers.randrange(len(encoder.memory))] = numbers.randrange(256)
        if numbers.random() < 0.2:
            del encoder.memory[numbers.randrange(len(encoder.memory)) :]
        try:
            launch = profile_of(encoder, cycles_of_record=5.0).launches[0]
            decode(encoder.array, facts, len(encoder.counts))
            assert len(launch.spans) * 2 <= len(launch.records)
            assert (launch.spans["site"] < len(SITES)).all()
            read += 1
        except LaunchError as error:
            assert str(error).startswith("this is not the profile of the launch: ")
            errors += 1
    assert errors > 300 and read > 300


def test_memory_of_two_dimensions_is_refused():
    facts = Facts(SITES, [0])
    with pytest.raises(LaunchError, match=r"^a profile is a contiguous array of one dimension$"):
        decode(np.zeros((2, facts.bytes_per_cta), np.uint8)[:, ::2], facts, 1)
