//===- PositionMap.h - Source positions of a layout conversion -----------------------===//
//
// A *position* is a triple (register, lane, warp). For the operand and the result of a layout conversion, a PositionMap
// lists, for each bit of a position in the result, the position at which the operand holds the same element. For a
// result position with several set bits, the operand's position is the XOR of the positions of these bits.
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
  /// reg[i], lane[i] and warp[i] are the operand's positions for bit i of the result's register, lane and warp index.
  /// Operand and result can have different numbers of register bits, but have the same number of lane bits and of warp
  /// bits.
  std::vector<Position> reg, lane, warp;
  /// XORs of the positions of two copies of an operand element in one warp; empty if no warp holds two copies.
  std::vector<Position> laneCopies;
  /// original[i] is a result register that holds the same element as result register 1 << i: this register itself if
  /// bit i is independent of lower bits, and otherwise the copy whose index has only independent bits.
  std::vector<unsigned> original;

  Position ofRegister(unsigned index) const;
};

PositionMap computePositionMap(const LinearLayout &src, const LinearLayout &dst);

/// Returns the bases of the input dimension `in` of `layout` as flattened tensor indices. If there are fewer than
/// `bits` bases, zeros are appended; a basis of zero means that the bit selects copies.
std::vector<uint64_t> flatBases(const LinearLayout &layout, Dim in, unsigned bits = 0);

} // namespace hocket

#endif
