//===- Pair.h - Pairs of a begin and an end: what took how long ------------------------===//
//
// A scope's begin and end come from one warp and nest. A token's may come from different warps; its begin and its end
// have the same payload, and the first that begins is the first that ends. What has lost its other half, because a ring
// was full, is no span and is counted.
//
//===------------------------------------------------------------------------------------===//
#ifndef HOCKET_PROFILER_PAIR_H
#define HOCKET_PROFILER_PAIR_H

#include "profiler/Decode.h"

namespace hocket::profiler {

struct Span {
  uint32_t launch, cta, payload;
  uint16_t warp, endWarp, site, padding = 0;
  uint32_t alignment = 0;
  int64_t begin, end;       ///< as shown
  int64_t rawBegin, rawEnd; ///< as read
  double beginNs, endNs;
};
static_assert(sizeof(Span) == 72);

struct PairedProfile {
  RawArray<Span> spans; ///< by block, warp and begin, outer ones first
  size_t count = 0;
  size_t unpaired = 0; ///< halves without the other one
};

/// The spans of one launch. `shown` are its records with corrected cycles, `raw` those that were read, both in the
/// order of decodeProfile; `isToken` by number of the site.
PairedProfile pairRecords(std::span<const Record> shown, std::span<const Record> raw, const std::vector<bool> &isToken);

} // namespace hocket::profiler

#endif
