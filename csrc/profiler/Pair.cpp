//===- Pair.cpp - Pairs begin and end records into spans -------------------------------===//
//
// Records are sorted by block and unit. The begin record of a scope waits for the next record of the same unit and site
// (location in the source). If the next record is an end record, the two records form a span. If the next record is
// another begin record, the first begin record is unpaired, and the second one waits instead.
//
//===------------------------------------------------------------------------------------===//
#include "profiler/Pair.h"

#include "profiler/Parts.h"

#include <algorithm>
#include <deque>
#include <tuple>

namespace hocket::profiler {

namespace {

/// Indices of a begin record and of its end record.
struct Halves {
  size_t begin, end;
};

/// Pairs begin and end records. Each call of `pair` pairs the records of one block.
class Pairer {
public:
  Pairer(std::span<const Record> shown, std::span<const Record> raw, const std::vector<bool> &isToken)
      : shown(shown), raw(raw), isToken(isToken), waiting(isToken.size(), {kNothing, 0}) {}

  /// Writes the spans of `block` to `out`, and returns the end of the written spans. `out` must have space for half as
  /// many spans as the block has records.
  Span *pair(Part block, Span *out) {
    found.clear();
    tokens.clear();
    for (size_t i = block.first; i < block.second; ++i) {
      if (i == block.first || shown[i].unit != shown[i - 1].unit)
        ++unit;
      addRecord(i);
    }
    std::erase_if(found, [](const Halves &halves) { return halves.end == kNothing; });
    pairTokens();
    auto isBefore = [&](const Halves &a, const Halves &b) {
      return std::tuple(shown[a.begin].warp, shown[a.begin].cycle, a.begin) <
             std::tuple(shown[b.begin].warp, shown[b.begin].cycle, b.begin);
    };
    if (!std::ranges::is_sorted(found, isBefore))
      std::ranges::sort(found, isBefore);
    paired += found.size();
    for (const Halves &halves : found)
      *out++ = spanOf(halves);
    return out;
  }

  size_t unpaired() const { return halves - 2 * paired; }

private:
  static constexpr size_t kNothing = ~size_t(0);

  void addRecord(size_t i) {
    const Record &record = shown[i];
    if (record.kind != RecordKind::Begin && record.kind != RecordKind::End)
      return;
    ++halves;
    if (record.site < isToken.size() && isToken[record.site])
      return tokens.push_back(i);
    if (record.site >= waiting.size())
      waiting.resize(record.site + 1, {kNothing, 0});
    auto &[place, ofUnit] = waiting[record.site];
    if (record.kind == RecordKind::Begin) {
      place = found.size();
      found.push_back({i, kNothing});
    } else {
      if (place != kNothing && ofUnit == unit)
        found[place].end = i;
      place = kNothing;
    }
    ofUnit = unit;
  }

  /// Pairs the begin and end records of tokens. For each site and payload, the records are sorted by their clock, begin
  /// records before end records of the same clock. Each end record is paired with the oldest begin record that has no
  /// end record yet.
  void pairTokens() {
    auto key = [&](size_t i) { return std::tuple(shown[i].site, shown[i].payload); };
    std::ranges::sort(tokens, [&](size_t a, size_t b) {
      return std::tuple(key(a), shown[a].cycle, shown[a].kind, a) <
             std::tuple(key(b), shown[b].cycle, shown[b].kind, b);
    });
    std::deque<size_t> begun;
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (i > 0 && key(tokens[i]) != key(tokens[i - 1]))
        begun.clear();
      if (shown[tokens[i]].kind == RecordKind::Begin) {
        begun.push_back(tokens[i]);
      } else if (!begun.empty()) {
        found.push_back({begun.front(), tokens[i]});
        begun.pop_front();
      }
    }
  }

  Span spanOf(const Halves &halves) const {
    const Record &begin = shown[halves.begin], &end = shown[halves.end];
    return {.launch = begin.launch,
            .cta = begin.cta,
            .payload = begin.payload,
            .warp = begin.warp,
            .endWarp = end.warp,
            .site = begin.site,
            .begin = begin.cycle,
            .end = end.cycle,
            .rawBegin = raw[halves.begin].cycle,
            .rawEnd = raw[halves.end].cycle,
            .beginNs = begin.ns,
            .endNs = end.ns};
  }

  std::span<const Record> shown, raw;
  const std::vector<bool> &isToken;
  /// For each site: the index in `found` of the begin record that waits for an end record, and the number of the
  /// record's unit. Units are numbered consecutively over all blocks.
  std::vector<std::pair<size_t, size_t>> waiting;
  std::vector<Halves> found;
  std::vector<size_t> tokens;
  size_t unit = 0, halves = 0, paired = 0;
};

} // namespace

PairedProfile pairRecords(std::span<const Record> shown, std::span<const Record> raw,
                          const std::vector<bool> &isToken) {
  PairedProfile result;
  result.spans = RawArray<Span>(shown.size() / 2 + 1);
  const std::vector<Part> parts = partsOf(shown);
  std::vector<size_t> counts(parts.size()), unpaired(parts.size());
  // All threads write their spans to the same array. The records before index i form at most i / 2 spans, so the spans
  // of a part with first record i are stored from index (i + 1) / 2 on.
  auto placeOf = [&](size_t part) { return result.spans.get() + (parts[part].first + 1) / 2; };
  runParts(parts.size(), [&](size_t part) {
    Pairer pairer(shown, raw, isToken);
    Span *out = placeOf(part);
    for (size_t i = parts[part].first; i < parts[part].second;) {
      size_t end = endOfBlock(shown, i);
      out = pairer.pair({i, end}, out);
      i = end;
    }
    counts[part] = out - placeOf(part);
    unpaired[part] = pairer.unpaired();
  });
  for (size_t part = 0; part < parts.size(); ++part) {
    std::copy_n(placeOf(part), counts[part], result.spans.get() + result.count);
    result.count += counts[part];
    result.unpaired += unpaired[part];
  }
  return result;
}

} // namespace hocket::profiler
