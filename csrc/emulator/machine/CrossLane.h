//===- CrossLane.h - What lanes of a warp compute together -------------------------------------===//
//
// A shuffle, vote or reduction is a meeting: every member brings its operands, and when all are there the results of
// all are known. This file is the second half, pure: operands in, results out.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_MACHINE_CROSSLANE_H
#define HOCKET_EMULATOR_MACHINE_CROSSLANE_H

#include "conversion/gpu_to_host/HostAbi.h"

#include <array>
#include <cstdint>

namespace hocket::emulator {

inline constexpr unsigned kMaxWarpSize = 64;
using PerLane = std::array<uint64_t, kMaxWarpSize>;

struct CrossLaneOperands {
  host_abi::CrossLaneOp kind;
  unsigned warpSize;
  uint64_t members; ///< one bit per lane that takes part
  PerLane value, a, b;
};

/// The result of each member; entries of other lanes are not touched.
void resolveCrossLane(const CrossLaneOperands &operands, PerLane &results);

} // namespace hocket::emulator

#endif
