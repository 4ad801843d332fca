//===- DecodeTest.cpp - Decoding of valid and damaged profiles --------------------------===//
#include "profiler/Decode.h"

#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace hocket::profiler {

namespace {

/// Writes records as a kernel does: into a circular buffer, or until the buffer is full.
struct Writer {
  ProfileFacts facts;
  uint32_t flags = 0;
  std::vector<std::byte> bytes;

  Writer(uint64_t blocks, uint32_t units, uint32_t capacity, uint32_t flags = kClock44Flag) : flags(flags) {
    facts = {.blocks = blocks, .units = units, .bytesPerUnit = capacity * 8, .sites = 8, .warps = {}};
    for (uint32_t unit = 0; unit < units; ++unit)
      facts.warps.push_back(unit);
    bytes.resize(blocks * blockBytes(units, facts.bytesPerUnit));
    for (uint64_t block = 0; block < blocks; ++block)
      setHeader(block, {.magic = kMagic,
                        .versionAndFlags = kVersion | flags,
                        .block = uint32_t(block),
                        .hardware = 7,
                        .units = units,
                        .bytesPerUnit = facts.bytesPerUnit,
                        .steadyStart = 1000,
                        .cyclesStart = 0,
                        .steadyEnd = 1'001'000,
                        .cyclesEnd = 2'000'000,
                        .steadyFlushed = 1'001'500});
  }

  std::byte *at(uint64_t block) { return bytes.data() + block * blockBytes(facts.units, facts.bytesPerUnit); }
  void setHeader(uint64_t block, const BlockHeader &header) { std::memcpy(at(block), &header, sizeof(header)); }
  BlockHeader header(uint64_t block) {
    BlockHeader header;
    std::memcpy(&header, at(block), sizeof(header));
    return header;
  }

  void write(uint64_t block, uint32_t unit, uint32_t kind, uint32_t site, uint32_t payload, uint64_t clock) {
    bool wide = flags & kClock44Flag;
    uint32_t low = wide ? payload << 12 | uint32_t(clock >> 32 & 0xFFF) : payload;
    writeWords(block, unit, kind << 30 | site << 20 | low, uint32_t(clock));
  }
  void writeWords(uint64_t block, uint32_t unit, uint32_t word0, uint32_t word1) {
    std::byte *place = at(block) + sizeof(BlockHeader) + unit * sizeof(UnitState);
    UnitState state;
    std::memcpy(&state, place, sizeof(state));
    uint32_t capacity = facts.bytesPerUnit / 8, index = state.written++;
    state.slot = unit % 4;
    std::memcpy(place, &state, sizeof(state));
    if (index >= capacity && (flags & (kKeepFirstFlag | kFlushFlag)))
      return;
    if (flags & kFirstIndexFlag)
      ++index;
    std::byte *record =
        at(block) + recordsOffset(facts.units) + uint64_t(unit) * facts.bytesPerUnit + index % capacity * 8;
    uint32_t words[] = {word0, word1};
    std::memcpy(record, words, sizeof(words));
  }
  /// Counts a record that is dropped.
  void count(uint64_t block, uint32_t unit) {
    std::byte *place = at(block) + sizeof(BlockHeader) + unit * sizeof(UnitState);
    UnitState state;
    std::memcpy(&state, place, sizeof(state));
    ++state.written;
    std::memcpy(place, &state, sizeof(state));
  }
  DecodedProfile decode() const { return decodeProfile(bytes, facts); }
  std::string error() const {
    try {
      decode();
    } catch (const CorruptProfile &error) {
      return error.what();
    }
    return "";
  }
};

} // namespace

TEST(Decode, FieldsOfRecords) {
  Writer writer(2, 2, 8);
  writer.write(0, 0, 0, 3, 0xAB, 100);
  writer.write(0, 0, 1, 3, 0xAC, 350);
  writer.write(1, 1, 2, 5, 1, 400);
  DecodedProfile profile = writer.decode();
  ASSERT_EQ(profile.count, 3u);
  const Record &begin = profile.records[0], &mark = profile.records[2];
  EXPECT_EQ(begin.kind, RecordKind::Begin);
  EXPECT_EQ(begin.site, 3);
  EXPECT_EQ(begin.payload, 0xABu);
  EXPECT_EQ(begin.cycle, 100);
  EXPECT_DOUBLE_EQ(begin.ns, 50); // two cycles per ns, measured
  EXPECT_EQ(profile.records[1].cycle, 350);
  EXPECT_EQ(mark.kind, RecordKind::Mark);
  EXPECT_EQ(mark.cta, 1u);
  EXPECT_EQ(mark.unit, 1);
  ASSERT_EQ(profile.blocks.size(), 2u);
  EXPECT_EQ(profile.blocks[0].source, FrequencySource::Block);
  EXPECT_DOUBLE_EQ(profile.blocks[0].cyclesPerNs, 2);
  EXPECT_EQ(profile.units[3].slot, 1u);
}

TEST(Decode, WrappedRingBeginsWithItsOldestRecord) {
  constexpr uint32_t kCapacity = 16;
  Writer writer(1, 1, kCapacity);
  for (uint32_t i = 0; i < 3 * kCapacity + 1; ++i)
    writer.write(0, 0, i % 2, 1, i & 0xFF, 10 * i);
  DecodedProfile profile = writer.decode();
  ASSERT_EQ(profile.count, kCapacity);
  EXPECT_EQ(profile.units[0].dropped, 2 * kCapacity + 1);
  for (uint32_t i = 0; i < kCapacity; ++i)
    EXPECT_EQ(profile.records[i].cycle, 10 * (2 * kCapacity + 1 + i));
}

TEST(Decode, KeepFirstKeepsTheFirst) {
  constexpr uint32_t kCapacity = 16;
  Writer writer(1, 1, kCapacity, kKeepFirstFlag | kClock44Flag);
  for (uint32_t i = 0; i < 3 * kCapacity + 1; ++i)
    writer.write(0, 0, i % 2, 1, 0, 10 * i);
  DecodedProfile profile = writer.decode();
  ASSERT_EQ(profile.count, kCapacity);
  EXPECT_EQ(profile.units[0].dropped, 2 * kCapacity + 1);
  EXPECT_EQ(profile.records[0].cycle, 0);
  EXPECT_EQ(profile.records[kCapacity - 1].cycle, 10 * (kCapacity - 1));
}

// The first record has the index 1. A full circular buffer uses index 0, too.
TEST(Decode, FirstIndex) {
  constexpr uint32_t kCapacity = 8;
  for (uint32_t policy : {0u, kFlushFlag})
    for (uint32_t written : {kCapacity - 1, kCapacity, 2 * kCapacity + 3}) {
      Writer writer(1, 1, policy ? 2 * kCapacity : kCapacity, kFirstIndexFlag | policy | kClock44Flag);
      const uint32_t room = policy ? 2 * kCapacity - 1 : kCapacity, kept = std::min(written, room);
      for (uint32_t i = 0; i < written; ++i)
        if (!policy || i < room)
          writer.write(0, 0, i % 2, 1, 0, 10 * i);
        else
          writer.count(0, 0);
      DecodedProfile profile = writer.decode();
      ASSERT_EQ(profile.count, kept);
      EXPECT_EQ(profile.units[0].dropped, written - kept);
      for (uint32_t i = 0; i < kept; ++i)
        EXPECT_EQ(profile.records[i].cycle, 10 * (policy ? i : written - kept + i));
    }
}

// Flushed records fill device memory from its start, like those that keep_first keeps.
TEST(Decode, FlushedRecordsAreInOrder) {
  constexpr uint32_t kCapacity = 16;
  for (uint32_t written : {kCapacity - 1, 3 * kCapacity}) {
    Writer writer(1, 1, kCapacity, kFlushFlag | kClock44Flag);
    for (uint32_t i = 0; i < written; ++i)
      writer.write(0, 0, i % 2, 1, 0, 10 * i);
    DecodedProfile profile = writer.decode();
    ASSERT_EQ(profile.count, std::min(written, kCapacity));
    EXPECT_EQ(profile.units[0].dropped, written - profile.count);
    for (uint32_t i = 0; i < profile.count; ++i)
      EXPECT_EQ(profile.records[i].cycle, 10 * i);
  }
}

// The clock of 32 bits wraps repeatedly; the circular buffer has lost the records close to the start.
TEST(Decode, ClockOf32BitsIsUnwrapped) {
  for (uint32_t capacity : {4u, 64u}) {
    Writer writer(1, 1, capacity, 0);
    BlockHeader header = writer.header(0);
    uint64_t start = (uint64_t(5) << 32) - 100, step = (uint64_t(1) << 32) - 1;
    header.cyclesStart = start;
    header.cyclesEnd = start + 19 * step + 5;
    writer.setHeader(0, header);
    for (uint64_t i = 0; i < 20; ++i)
      writer.write(0, 0, 2, 1, uint32_t(1000 * i), start + i * step);
    DecodedProfile profile = writer.decode();
    size_t lost = 20 - profile.count;
    EXPECT_EQ(profile.count, std::min(20u, capacity));
    for (size_t i = 0; i < profile.count; ++i) {
      EXPECT_EQ(uint64_t(profile.records[i].cycle), start + (lost + i) * step);
      EXPECT_EQ(profile.records[i].payload, 1000 * (lost + i));
    }
  }
}

TEST(Decode, WidePayloadBelongsToTheRecordBefore) {
  Writer writer(1, 1, 4);
  for (uint32_t i = 0; i < 3; ++i) {
    writer.write(0, 0, 2, 1, 0, 10 * i);
    writer.writeWords(0, 0, 3u << 30 | 1 << 20, 0xDEAD0000 + i);
  }
  DecodedProfile profile = writer.decode();
  ASSERT_EQ(profile.count, 2u);
  EXPECT_EQ(profile.records[0].payload, 0xDEAD0001);
  EXPECT_EQ(profile.records[1].payload, 0xDEAD0002);

  writer.write(0, 0, 2, 1, 0, 30); // the buffer now begins with the payload of a lost record
  profile = writer.decode();
  ASSERT_EQ(profile.count, 2u);
  EXPECT_EQ(profile.records[0].payload, 0xDEAD0002);
}

TEST(Decode, FrequencyOfShortBlocksComesFromAllOfThem) {
  Writer writer(1000, 1, 2);
  for (uint64_t i = 0; i < 1000; ++i) {
    BlockHeader header = writer.header(i);
    header.steadyEnd = header.steadyStart + (i % 2 ? 512 : 480);
    header.steadyFlushed = header.steadyEnd;
    header.cyclesEnd = 992;
    writer.setHeader(i, header);
  }
  DecodedProfile profile = writer.decode();
  EXPECT_EQ(profile.blocks[3].source, FrequencySource::Launch);
  EXPECT_DOUBLE_EQ(profile.blocks[3].cyclesPerNs, 2);

  Writer single(1, 1, 2);
  BlockHeader header = single.header(0);
  header.steadyEnd = header.steadyFlushed = header.steadyStart + 32;
  single.setHeader(0, header);
  single.facts.cyclesPerNs = 1.98;
  EXPECT_EQ(single.decode().blocks[0].source, FrequencySource::Device);
  EXPECT_DOUBLE_EQ(single.decode().blocks[0].cyclesPerNs, 1.98);
  single.facts.cyclesPerNs = 0;
  EXPECT_EQ(single.decode().blocks[0].source, FrequencySource::Unknown);
}

TEST(Decode, BlocksThatDidNotRunAreCounted) {
  Writer writer(4, 1, 4);
  writer.write(2, 0, 0, 1, 0, 5);
  writer.setHeader(1, {});
  BlockHeader begun = writer.header(3); // a block that began and failed
  begun.steadyEnd = begun.cyclesEnd = begun.steadyFlushed = 0;
  writer.setHeader(3, begun);
  DecodedProfile profile = writer.decode();
  EXPECT_EQ(profile.missingBlocks, 2u);
  ASSERT_EQ(profile.count, 1u);
  EXPECT_EQ(profile.records[0].cta, 2u);
}

TEST(Decode, SaysWhatIsWrong) {
  const std::string start = "this is not the profile of the launch: ";
  auto damaged = [](auto damage) {
    Writer writer(2, 1, 4);
    writer.write(1, 0, 0, 1, 0, 5);
    BlockHeader header = writer.header(1);
    damage(writer, header);
    if (writer.bytes.size() >= 2 * blockBytes(1, 32))
      writer.setHeader(1, header);
    return writer.error();
  };
  EXPECT_EQ(damaged([](Writer &writer, BlockHeader &) { writer.bytes.pop_back(); }),
            start + "it has 255 bytes, and 2 blocks of 1 units have 2 x 128");
  EXPECT_EQ(damaged([](Writer &, BlockHeader &header) { header.magic = 1; }),
            start + "block 1: the first word is 1, not 1179667272");
  EXPECT_EQ(damaged([](Writer &, BlockHeader &header) { header.versionAndFlags = 1; }),
            start + "block 1: the version of the format is 1, not 2");
  EXPECT_EQ(damaged([](Writer &, BlockHeader &header) { header.versionAndFlags |= 1 << 14; }),
            start + "block 1: unknown flags: 16384");
  EXPECT_EQ(damaged([](Writer &, BlockHeader &header) { header.block = 9; }),
            start + "block 1: its number is 9, not 1");
  EXPECT_EQ(damaged([](Writer &, BlockHeader &header) { header.units = 2; }),
            start + "block 1: the number of units is 2, not 1");
  EXPECT_EQ(damaged([](Writer &, BlockHeader &header) { header.bytesPerUnit = 64; }),
            start + "block 1: the size of a unit is 64, not 32");
  EXPECT_EQ(damaged([](Writer &, BlockHeader &header) { header.steadyEnd = 0; }),
            start + "block 1: the steady clock runs backwards");
  EXPECT_EQ(damaged([](Writer &, BlockHeader &header) { header.cyclesStart = 3'000'000; }),
            start + "block 1: the cycle counter runs backwards");
  EXPECT_EQ(damaged([](Writer &writer, BlockHeader &) { writer.write(1, 0, 0, 8, 0, 6); }),
            start + "block 1, unit 0, record 1: there is no site 8 among 8");
  EXPECT_EQ(damaged([](Writer &writer, BlockHeader &) {
              for (int i = 0; i < 2; ++i)
                writer.writeWords(1, 0, 3u << 30, 6);
            }),
            start + "block 1, unit 0, record 2: a payload follows no record");
  EXPECT_EQ(damaged([](Writer &writer, BlockHeader &) { writer.facts.bytesPerUnit = 24; }),
            start + "a unit cannot have 24 bytes");
  EXPECT_EQ(damaged([](Writer &writer, BlockHeader &) { writer.facts.warps.clear(); }),
            start + "it has 1 units, but 0 warps");
}

// Arbitrary bytes give either records within bounds, or an error.
TEST(Decode, SurvivesDamage) {
  std::mt19937_64 random(1);
  int errors = 0, read = 0;
  for (int round = 0; round < 20'000; ++round) {
    Writer writer(1 + random() % 3, random() % 4, 2u << random() % 4, random() % 16 << 8);
    for (int i = 0; i < 40 && writer.facts.units; ++i)
      writer.write(random() % writer.facts.blocks, random() % writer.facts.units, random() % 3, random() % 8,
                   random() % 256, 10 * i);
    for (uint64_t damages = random() % 4; damages > 0; --damages) {
      size_t place = random() % writer.bytes.size();
      writer.bytes[place] = std::byte(random());
    }
    if (random() % 8 == 0)
      writer.bytes.resize(random() % writer.bytes.size());
    try {
      DecodedProfile profile = decodeProfile(writer.bytes, writer.facts);
      ASSERT_LE(profile.count, writer.bytes.size() / 8);
      for (size_t i = 0; i < profile.count; ++i)
        ASSERT_LT(profile.records[i].site, 8);
      ++read;
    } catch (const CorruptProfile &) {
      ++errors;
    }
  }
  EXPECT_GT(errors, 1000);
  EXPECT_GT(read, 1000);
}

} // namespace hocket::profiler
