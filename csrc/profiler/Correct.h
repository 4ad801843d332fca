//===- Correct.h - Removes the overhead of recording from timestamps -------------------===//
//
// Writing a record delays its warp, and every warp that waits for this warp, by some cycles. If each warp's own records
// were subtracted from its own times, arrows from one warp to another could point backwards in time. A block therefore
// has a single map from recorded to displayed time, for all of its warps. For each record, the map subtracts the cost
// of a record, divided by the number of recording warps, from all later times. The map is monotonic, so nesting and
// order are preserved.
//
//     recorded     0   12  24        524   536        cost of a record: 12 cycles, one warp
//                  |---|---|---------|-----|
//     displayed    0   0   0         488   488        an empty scope has no cycles
//
//===------------------------------------------------------------------------------------===//
#ifndef HOCKET_PROFILER_CORRECT_H
#define HOCKET_PROFILER_CORRECT_H

#include "profiler/Decode.h"

namespace hocket::profiler {

/// Returns `records`, the result of decodeProfile, with displayed cycles and nanoseconds. `cyclesPerNs` is indexed by
/// the number of the block; blocks beyond its end have 1 cycle per nanosecond.
RawArray<Record> correctRecords(std::span<const Record> records, double cyclesOfRecord,
                                std::span<const double> cyclesPerNs);

} // namespace hocket::profiler

#endif
