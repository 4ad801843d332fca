//===- Pair.h - Pairs begin and end records into spans ---------------------------------===//
//
// The begin and the end of a scope come from one warp, and scopes nest. The begin and the end of a token can come from
// different warps; both have the same payload, and tokens of one site and payload end in the order in which they began.
// If one record of a pair was lost because a circular buffer was full, the other record forms no span and is counted as
// unpaired.
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
  int64_t begin, end;       ///< displayed time
  int64_t rawBegin, rawEnd; ///< recorded time
  double beginNs, endNs;
};
static_assert(sizeof(Span) == 72);

struct PairedProfile {
  RawArray<Span> spans; ///< sorted by block, warp and begin, outer spans first
  size_t count = 0;
  size_t unpaired = 0; ///< records without a counterpart
};

/// Returns the spans of one launch. `shown` are the launch's records with corrected cycles, and `raw` are the records
/// as decoded, both in the order of decodeProfile. `isToken` is indexed by the number of the site.
PairedProfile pairRecords(std::span<const Record> shown, std::span<const Record> raw, const std::vector<bool> &isToken);

} // namespace hocket::profiler

#endif
