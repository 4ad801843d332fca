//===- Pair.h - Pairs begin and end records into spans ---------------------------------===//
//
// A span is a time interval between a begin record and an end record. A scope begins and ends in the same warp, and
// scopes nest. A token can begin and end in different warps. The begin and end records of a token have the same
// payload. Tokens with the same site and payload end in the order in which they began. If the circular buffer has lost
// one record of a pair, the other record forms no span and is counted as unpaired.
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
  int64_t begin, end;       ///< displayed times in cycles
  int64_t rawBegin, rawEnd; ///< recorded times in cycles
  double beginNs, endNs;
};
static_assert(sizeof(Span) == 72);

struct PairedProfile {
  RawArray<Span> spans; ///< sorted by block, warp and begin; an outer span comes before the spans inside
  size_t count = 0;
  size_t unpaired = 0; ///< number of begin and end records without a counterpart
};

/// Returns the spans of one launch. `raw` are the launch's records from decodeProfile, and `shown` are the same records
/// after correctRecords, in the same order. `isToken` is true for the numbers of the sites that record tokens.
PairedProfile pairRecords(std::span<const Record> shown, std::span<const Record> raw, const std::vector<bool> &isToken);

} // namespace hocket::profiler

#endif
