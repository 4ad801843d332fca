//===- Correct.h - Takes the time that recording takes out of what was recorded --------===//
//
// A record delays its warp by some cycles, and with it whoever waits for that warp. Taking each warp's own records out
// of its own times would let an arrow from one warp to another point backwards. So a block has one map from the time
// that was read to the time that is shown, for all of its warps: of each record, the share of one warp among those that
// record is taken out of what follows. The map never decreases: what is nested stays nested, what came first stays
// first.
//
//     read         0   12  24        524   536        cost of a record: 12 cycles, one warp
//                  |---|---|---------|-----|
//     shown        0   0   0         488   488        an empty scope has no cycles
//
//===------------------------------------------------------------------------------------===//
#ifndef HOCKET_PROFILER_CORRECT_H
#define HOCKET_PROFILER_CORRECT_H

#include "profiler/Decode.h"

namespace hocket::profiler {

/// `records`, as decodeProfile has them, with the cycles and nanoseconds that are shown. `cyclesPerNs`: by number of
/// the block; blocks beyond its end count as 1.
RawArray<Record> correctRecords(std::span<const Record> records, double cyclesOfRecord,
                                std::span<const double> cyclesPerNs);

} // namespace hocket::profiler

#endif
