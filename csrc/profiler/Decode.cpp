//===- Decode.cpp - Decodes the memory of a profiled launch into records -----------------===//
#include "profiler/Decode.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace hocket::profiler {

/// Minimum duration of a block that is used to measure the clock frequency. In shorter blocks, the resolution of the
/// steady clock (32 ns on Hopper, 10 ns on CDNA) causes too large an error.
static constexpr double kLongEnoughNs = 100e3;

/// Block, unit and record to which an error message refers; -1 if the error concerns no single unit or record.
struct Place {
  uint64_t block = 0;
  int64_t unit = -1, record = -1;

  std::string text() const {
    std::string text = "block " + std::to_string(block);
    if (unit >= 0)
      text += ", unit " + std::to_string(unit);
    if (record >= 0)
      text += ", record " + std::to_string(record);
    return text;
  }
};

[[noreturn]] static void fail(const std::string &what) {
  throw CorruptProfile("this is not the profile of the launch: " + what);
}
[[noreturn]] static void fail(const Place &place, const std::string &what) { fail(place.text() + ": " + what); }

template <typename T>
static T readAt(const std::byte *from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

namespace {

/// Positions of the fields in the two words of a record. The positions depend on the flags in the header of the block.
struct Encoding {
  uint32_t payloadShift, payloadMask;
  uint64_t clockMask;

  explicit Encoding(uint32_t flags) {
    bool wide = flags & kClock44Flag;
    payloadShift = wide ? 12 : 0;
    payloadMask = wide ? 0xFF : 0xFFFFF;
    clockMask = (uint64_t(1) << (wide ? 44 : 32)) - 1;
  }

  static RecordKind kind(uint32_t word0) { return RecordKind(word0 >> 30); }
  static uint32_t site(uint32_t word0) { return word0 >> 20 & 0x3FF; }
  uint32_t payload(uint32_t word0) const { return word0 >> payloadShift & payloadMask; }
  uint64_t clock(uint64_t words) const { return (words << 32 | words >> 32) & clockMask; }
  /// Returns the 64-bit cycle count closest to `other` whose low bits are the clock in the record `words`.
  uint64_t closestTo(uint64_t other, uint64_t words) const {
    int unused = std::countl_zero(clockMask);
    return other + uint64_t(int64_t((clock(words) - other) << unused) >> unused);
  }
  /// Returns the number of cycles between two consecutive records of a unit, which are given by their words.
  uint64_t step(uint64_t from, uint64_t to) const { return (clock(to) - clock(from)) & clockMask; }
};

/// The records of one unit in a circular buffer. Index 0 is the oldest record. The capacity is a power of two.
struct Ring {
  const std::byte *begin;
  uint64_t capacity, first, count;

  uint64_t operator[](uint64_t i) const {
    return readAt<uint64_t>(begin + ((first + i) & (capacity - 1)) * kRecordBytes);
  }
};

class Decoder {
public:
  Decoder(std::span<const std::byte> bytes, const ProfileFacts &facts) : bytes(bytes), facts(facts) {}

  DecodedProfile run() {
    checkSize();
    readHeaders();
    measureFrequency();
    result.records = RawArray<Record>(atMost);
    out = result.records.get();
    for (const DecodedBlock &block : result.blocks)
      for (uint32_t unit = 0; unit < facts.units; ++unit)
        readUnit(block, unit);
    result.count = out - result.records.get();
    return std::move(result);
  }

private:
  uint64_t stride() const { return blockBytes(facts.units, facts.bytesPerUnit); }
  uint64_t capacity() const { return facts.bytesPerUnit / kRecordBytes; }

  /// Returns the number of records that a unit holds after its warp has written `written` records.
  uint64_t keptOf(uint64_t written, uint32_t flags) const {
    bool isRing = !(flags & (kKeepFirstFlag | kFlushFlag));
    return std::min(written, isRing ? capacity() : capacity() - firstIndex(flags));
  }
  static uint64_t firstIndex(uint32_t flags) { return flags & kFirstIndexFlag ? 1 : 0; }

  const std::byte *unitState(uint64_t block, uint32_t unit) const {
    return bytes.data() + block * stride() + sizeof(BlockHeader) + unit * sizeof(UnitState);
  }

  void checkSize() const {
    if (facts.bytesPerUnit < 2 * kRecordBytes || !std::has_single_bit(facts.bytesPerUnit))
      fail("a unit cannot have " + std::to_string(facts.bytesPerUnit) + " bytes");
    if (facts.warps.size() != facts.units)
      fail("it has " + std::to_string(facts.units) + " units, but " + std::to_string(facts.warps.size()) + " warps");
    if (facts.blocks > bytes.size() / stride() || facts.blocks * stride() != bytes.size())
      fail("it has " + std::to_string(bytes.size()) + " bytes, and " + std::to_string(facts.blocks) + " blocks of " +
           std::to_string(facts.units) + " units have " + std::to_string(facts.blocks) + " x " +
           std::to_string(stride()));
  }

  void readHeaders() {
    result.steadyOrigin = UINT64_MAX;
    for (uint64_t block = 0; block < facts.blocks; ++block) {
      auto header = readAt<BlockHeader>(bytes.data() + block * stride());
      bool hasEnded = header.steadyEnd || header.cyclesEnd || !(header.steadyStart || header.cyclesStart);
      if (header.magic == 0 || (header.magic == kMagic && !hasEnded)) {
        ++result.missingBlocks;
        continue;
      }
      checkHeader(header, {block});
      result.blocks.push_back({header.block, header.hardware, header, 0, FrequencySource::Unknown});
      result.steadyOrigin = std::min(result.steadyOrigin, header.steadyStart);
      for (uint32_t unit = 0; unit < facts.units; ++unit)
        atMost += std::min<uint64_t>(readAt<UnitState>(unitState(block, unit)).written, capacity());
    }
    if (result.blocks.empty())
      result.steadyOrigin = 0;
  }

  void checkHeader(const BlockHeader &header, const Place &place) const {
    auto expect = [&](uint64_t found, uint64_t expected, const char *what) {
      if (found != expected)
        fail(place, std::string(what) + " is " + std::to_string(found) + ", not " + std::to_string(expected));
    };
    expect(header.magic, kMagic, "the first word");
    expect(header.versionAndFlags & kVersionMask, kVersion, "the version of the format");
    constexpr uint32_t kKnown =
        kVersionMask | kClock44Flag | kKeepFirstFlag | kSharedFlag | kStaticFlag | kFlushFlag | kFirstIndexFlag;
    if (uint32_t unknown = header.versionAndFlags & ~kKnown)
      fail(place, "unknown flags: " + std::to_string(unknown));
    expect(header.block, place.block, "its number");
    expect(header.units, facts.units, "the number of units");
    expect(header.bytesPerUnit, facts.bytesPerUnit, "the size of a unit");
    if (header.steadyEnd < header.steadyStart || header.steadyFlushed < header.steadyEnd)
      fail(place, "the steady clock runs backwards");
    if (header.cyclesEnd < header.cyclesStart || header.cyclesEnd > uint64_t(INT64_MAX))
      fail(place, "the cycle counter runs backwards");
  }

  void measureFrequency() {
    double cycles = 0, ns = 0;
    for (const DecodedBlock &block : result.blocks) {
      cycles += double(block.header.cyclesEnd - block.header.cyclesStart);
      ns += elapsedNs(block.header);
    }
    for (DecodedBlock &block : result.blocks) {
      double own = elapsedNs(block.header);
      auto ownCycles = double(block.header.cyclesEnd - block.header.cyclesStart);
      if (own >= kLongEnoughNs && ownCycles > 0)
        block.cyclesPerNs = ownCycles / own, block.source = FrequencySource::Block;
      else if (ns >= kLongEnoughNs && cycles > 0)
        block.cyclesPerNs = cycles / ns, block.source = FrequencySource::Launch;
      else if (facts.cyclesPerNs > 0)
        block.cyclesPerNs = facts.cyclesPerNs, block.source = FrequencySource::Device;
      else
        block.cyclesPerNs = ns > 0 && cycles > 0 ? cycles / ns : 1;
    }
  }

  double elapsedNs(const BlockHeader &header) const {
    return double(header.steadyEnd - header.steadyStart) * facts.steadyNsPerTick;
  }

  void readUnit(const DecodedBlock &block, uint32_t unit) {
    auto state = readAt<UnitState>(unitState(block.cta, unit));
    const uint32_t flags = block.header.versionAndFlags;
    const uint64_t kept = keptOf(state.written, flags);
    result.units.push_back(
        {block.cta, uint16_t(unit), uint16_t(facts.warps[unit]), state.slot, state.written, state.written - kept});
    bool hasWrapped = state.written > kept && !(flags & (kKeepFirstFlag | kFlushFlag));
    const std::byte *records = bytes.data() + block.cta * stride() + recordsOffset(facts.units);
    Ring ring = {records + uint64_t(unit) * facts.bytesPerUnit, capacity(),
                 firstIndex(flags) + (hasWrapped ? state.written - kept : 0), kept};
    readRing(block, unit, ring, Encoding(flags), hasWrapped);
  }

  void readRing(const DecodedBlock &block, uint32_t unit, const Ring &ring, const Encoding &bits, bool hasWrapped) {
    const BlockHeader &header = block.header;
    uint64_t cycle = 0;
    bool isFirst = true;
    double nsPerCycle = 1 / block.cyclesPerNs;
    double startNs = double(header.steadyStart - result.steadyOrigin) * facts.steadyNsPerTick;
    uint64_t before = 0;    // the two words of the preceding record
    Record *last = nullptr; // the preceding record, whose payload a following record of kind Wide contains
    for (uint64_t i = 0; i < ring.count; ++i) {
      uint64_t words = ring[i];
      auto word0 = uint32_t(words);
      RecordKind kind = Encoding::kind(word0);
      if (kind == RecordKind::Wide) [[unlikely]] {
        if (!last && !(i == 0 && hasWrapped)) // a Wide record can be the oldest if the buffer has wrapped
          fail({block.cta, unit, int64_t(i)}, "a payload follows no record");
        if (last)
          last->payload = uint32_t(words >> 32);
        last = nullptr;
        continue;
      }
      uint32_t site = Encoding::site(word0);
      if (site >= facts.sites) [[unlikely]]
        fail({block.cta, unit, int64_t(i)},
             "there is no site " + std::to_string(site) + " among " + std::to_string(facts.sites));
      if (isFirst) [[unlikely]]
        cycle = hasWrapped ? firstOfWrapped(header, ring, bits) : bits.closestTo(header.cyclesStart, words);
      else
        cycle += bits.step(before, words);
      isFirst = false;
      before = words;
      *out = {.cycle = int64_t(cycle),
              .ns = startNs + double(int64_t(cycle - header.cyclesStart)) * nsPerCycle,
              .launch = facts.launch,
              .cta = block.cta,
              .payload = bits.payload(word0),
              .unit = uint16_t(unit),
              .warp = uint16_t(facts.warps[unit]),
              .site = uint16_t(site),
              .kind = kind,
              .padding = 0};
      last = out++;
    }
  }

  /// Returns the cycle of the oldest record in a circular buffer that has wrapped. The function counts backwards from
  /// the clock that warp 0 reads at the end of the block. The last record of a unit can be slightly later than this
  /// clock.
  static uint64_t firstOfWrapped(const BlockHeader &header, const Ring &ring, const Encoding &bits) {
    uint64_t cycle = 0, after = 0;
    bool isLast = true;
    for (uint64_t i = ring.count; i-- > 0;) {
      uint64_t words = ring[i];
      if (Encoding::kind(uint32_t(words)) == RecordKind::Wide)
        continue;
      cycle = isLast ? bits.closestTo(header.cyclesEnd, words) : cycle - bits.step(words, after);
      isLast = false;
      after = words;
    }
    return cycle;
  }

  std::span<const std::byte> bytes;
  const ProfileFacts &facts;
  DecodedProfile result;
  uint64_t atMost = 0;
  Record *out = nullptr;
};

} // namespace

DecodedProfile decodeProfile(std::span<const std::byte> bytes, const ProfileFacts &facts) {
  return Decoder(bytes, facts).run();
}

} // namespace hocket::profiler
