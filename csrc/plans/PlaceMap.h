//===- PlaceMap.h - Source positions of a layout conversion -----------------------===//
//
// A *place* is a position (register, lane, warp). For two layouts of one tile, a PlaceMap gives for each bit of the
// result's place the operand's place that holds the same element; the map of any place is the XOR over its
// bits.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_PLANS_PLACEMAP_H
#define HOCKET_PLANS_PLACEMAP_H

#include "layout/LinearLayout.h"
#include <vector>

namespace hocket {

struct Place {
  unsigned reg = 0, lane = 0, warp = 0;

  bool operator==(const Place &) const = default;
  Place operator^(const Place &other) const { return {reg ^ other.reg, lane ^ other.lane, warp ^ other.warp}; }
  Place &operator^=(const Place &other) { return *this = *this ^ other; }
};

struct PlaceMap {
  unsigned numRegisterBits = 0, numLaneBits = 0, numWarpBits = 0;
  /// The operand's place for each bit of a result register, lane and warp. Numbers of bits are the operand's for
  /// registers; for lanes and warps both sides have the same number.
  std::vector<Place> reg, lane, warp;
  /// Differences between places of one warp that hold copies of the same operand element and change the lane.
  std::vector<Place> laneCopies;
  /// original[i]: the result register, made of independent bits only, that holds the same element as register 1 << i.
  /// Register 1 << i itself unless bit i makes copies.
  std::vector<unsigned> original;

  Place ofRegister(unsigned index) const;
};

PlaceMap computePlaceMap(const LinearLayout &src, const LinearLayout &dst);

/// Returns the bases of one input dimension as flattened tensor indices, padded with zeros (copies) to `bits`.
std::vector<uint64_t> flatBases(const LinearLayout &layout, Dim in, unsigned bits = 0);

} // namespace hocket

#endif
