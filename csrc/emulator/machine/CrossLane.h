//===- CrossLane.h - Results of operations across the lanes of a warp --------------------------===//
//
// A shuffle, vote or reduction is a rendezvous: each participating lane passes its operands, and the last lane computes
// the results of all lanes. This file computes the results, as a pure function of the operands.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_MACHINE_CROSSLANE_H
#define HOCKET_EMULATOR_MACHINE_CROSSLANE_H

#include "emulator_abi/HostAbi.h"

#include <array>
#include <cstdint>

namespace hocket::emulator {

inline constexpr unsigned kMaxWarpSize = 64;
using PerLane = std::array<uint64_t, kMaxWarpSize>;

struct CrossLaneOperands {
  host_abi::CrossLaneOp kind;
  unsigned warpSize;
  uint64_t members; ///< mask of lanes that take part
  PerLane value, a, b;
};

/// Computes the result of each participating lane. Does not change the results of other lanes.
void resolveCrossLane(const CrossLaneOperands &operands, PerLane &results);

} // namespace hocket::emulator

#endif
