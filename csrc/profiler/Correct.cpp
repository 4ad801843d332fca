//===- Correct.cpp - Removes the overhead of recording from timestamps -----------------===//
//
// The records of a block are sorted by their clock. The records of each warp are already sorted, so they form an
// ascending run. A merge sort merges the runs in pairs:
//
//     warp 0   5 9 14 20    }  5 7 9 14 16 20 ...  }
//     warp 1   7 16 22 25   }                      }  ...
//     warp 2   6 8 30 31    }  6 8 10 11 30 31 ... }
//     warp 3   10 11 40 41  }
//
//===------------------------------------------------------------------------------------===//
#include "profiler/Correct.h"

#include "profiler/Parts.h"

#include <algorithm>

namespace hocket::profiler {

/// Rounds `value` to the nearest integer, ties to even. `value` must not be negative.
static int64_t rounded(double value) {
  constexpr double kIntegersFromHere = 4503599627370496.0; // 2^52
  return int64_t(value < kIntegersFromHere ? value + kIntegersFromHere - kIntegersFromHere : value);
}

namespace {

struct Timestamp {
  int64_t cycle;
  size_t record;
};

/// Corrects records. Each call of `correct` corrects the records of one block.
class Corrector {
public:
  Corrector(std::span<const Record> records, double cyclesOfRecord, std::span<const double> cyclesPerNs, Record *out)
      : records(records), cyclesOfRecord(cyclesOfRecord), cyclesPerNs(cyclesPerNs), out(out) {}

  void correct(Part block) {
    readRuns(block);
    mergeRuns();
    const int64_t start = timestamps.front().cycle;
    const uint32_t cta = records[block.first].cta;
    const double perNs = cta < cyclesPerNs.size() ? cyclesPerNs[cta] : 1;
    const double share = cyclesOfRecord / double(units.size());
    double shown = 0;
    for (size_t i = 0; i < timestamps.size(); ++i) {
      const double taken = double(i) * share;
      shown = std::max(shown, double(timestamps[i].cycle - start) - taken);
      Record corrected = records[timestamps[i].record];
      corrected.cycle = start + rounded(shown);
      corrected.ns -= double(timestamps[i].cycle - corrected.cycle) / perNs;
      out[timestamps[i].record] = corrected;
    }
  }

private:
  /// Sets `timestamps` to the clocks of the block's records, `runs` to the starts of ascending runs in `timestamps`,
  /// and `units` to the units (recorded warps) of the block. A new run begins at the first record of each unit, and at
  /// each record whose clock is less than that of the preceding record.
  void readRuns(Part block) {
    timestamps.clear();
    runs.clear();
    units.clear();
    timestamps.resize(block.second - block.first);
    for (size_t i = block.first; i < block.second; ++i) {
      const bool isOfNextUnit = i == block.first || records[i].unit != records[i - 1].unit;
      if (isOfNextUnit)
        units.push_back(records[i].unit);
      if (isOfNextUnit || records[i].cycle < records[i - 1].cycle)
        runs.push_back(i - block.first);
      timestamps[i - block.first] = {records[i].cycle, i};
    }
    runs.push_back(timestamps.size());
    std::ranges::sort(units);
    units.erase(std::unique(units.begin(), units.end()), units.end());
  }

  /// Merges adjacent runs until there is a single run. Records with equal clocks keep their order.
  void mergeRuns() {
    while (runs.size() > 2) {
      merged.resize(timestamps.size());
      size_t kept = 0;
      for (size_t i = 0; i + 1 < runs.size(); i += 2) {
        size_t middle = runs[i + 1], end = i + 2 < runs.size() ? runs[i + 2] : middle;
        merge(runs[i], middle, end);
        runs[kept++] = runs[i];
      }
      runs[kept++] = timestamps.size();
      runs.resize(kept);
      timestamps.swap(merged);
    }
  }

  void merge(size_t begin, size_t middle, size_t end) {
    const Timestamp *left = timestamps.data() + begin, *right = timestamps.data() + middle;
    const Timestamp *leftEnd = right, *rightEnd = timestamps.data() + end;
    Timestamp *to = merged.data() + begin;
    while (left != leftEnd && right != rightEnd) {
      // The comparison is written without a branch, because the branch would be mispredicted often.
      const bool takesLeft = left->cycle <= right->cycle;
      *to++ = takesLeft ? *left : *right;
      left += takesLeft;
      right += !takesLeft;
    }
    std::copy(right, rightEnd, std::copy(left, leftEnd, to));
  }

  std::span<const Record> records;
  double cyclesOfRecord;
  std::span<const double> cyclesPerNs;
  Record *out;
  std::vector<Timestamp> timestamps, merged;
  std::vector<size_t> runs; ///< indices in `timestamps` at which the runs begin, and the end of the last run
  std::vector<uint16_t> units;
};

} // namespace

RawArray<Record> correctRecords(std::span<const Record> records, double cyclesOfRecord,
                                std::span<const double> cyclesPerNs) {
  RawArray<Record> result(records.size());
  const std::vector<Part> parts = partsOf(records);
  runParts(parts.size(), [&](size_t part) {
    Corrector corrector(records, cyclesOfRecord, cyclesPerNs, result.get());
    for (size_t i = parts[part].first; i < parts[part].second;) {
      size_t end = endOfBlock(records, i);
      corrector.correct({i, end});
      i = end;
    }
  });
  return result;
}

} // namespace hocket::profiler
