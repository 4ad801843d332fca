//===- Correct.h - Removes the overhead of recording from timestamps -------------------===//
//
// Writing a record delays its warp, and every warp that waits for this warp, by some cycles. The correction removes the
// delay by recording from the displayed times. If the times of each warp were corrected only by the records of the same
// warp, an event could be displayed before its cause in another warp. All warps of a block therefore have the same map
// from recorded to displayed time. For each record, the map subtracts c / n cycles from all later times, where c is the
// cost of writing one record, and n is the number of warps that write records. The map is monotonic, so nesting and
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

/// Returns a copy of `records`, a result of decodeProfile, with displayed instead of recorded times. `cyclesOfRecord`
/// is the cost of writing one record. `cyclesPerNs` holds the clock frequency for each block number; blocks beyond its
/// end have 1 cycle per nanosecond.
RawArray<Record> correctRecords(std::span<const Record> records, double cyclesOfRecord,
                                std::span<const double> cyclesPerNs);

} // namespace hocket::profiler

#endif
