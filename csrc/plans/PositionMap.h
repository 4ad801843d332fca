//===- PositionMap.h - Source positions of a layout conversion -----------------------===//
//
// A *position* is a register of a lane of a warp. For two layouts of one tile, a PositionMap has, for each bit of the
// result's position, the operand's position that holds the same element. The operand's position for several bits is the
// XOR of the positions for each bit.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_PLANS_POSITIONMAP_H
#define HOCKET_PLANS_POSITIONMAP_H

#include "layout/LinearLayout.h"
#include <vector>

namespace hocket {

struct Position {
  unsigned reg = 0, lane = 0, warp = 0;

  bool operator==(const Position &) const = default;
  Position operator^(const Position &other) const { return {reg ^ other.reg, lane ^ other.lane, warp ^ other.warp}; }
  Position &operator^=(const Position &other) { return *this = *this ^ other; }
};

struct PositionMap {
  unsigned numRegisterBits = 0, numLaneBits = 0, numWarpBits = 0;
  /// The operand's position for each bit of a result register, lane and warp. The register index of a position has as
  /// many bits as the operand's register indices. Operand and result have equally many lane and warp bits.
  std::vector<Position> reg, lane, warp;
  /// The differences between the positions of two copies of an element of the operand, in different lanes of one warp.
  std::vector<Position> laneCopies;
  /// original[i]: the result register that holds the same element as register 1 << i, and in which only independent
  /// bits are set. Unless registers with bit i hold copies, this is register 1 << i itself.
  std::vector<unsigned> original;

  Position ofRegister(unsigned index) const;
};

PositionMap computePositionMap(const LinearLayout &src, const LinearLayout &dst);

/// Returns the bases of one input dimension as flattened tensor indices, padded with zeros (copies) to `bits`.
std::vector<uint64_t> flatBases(const LinearLayout &layout, Dim in, unsigned bits = 0);

} // namespace hocket

#endif
