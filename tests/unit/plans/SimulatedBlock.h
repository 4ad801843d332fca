//===- SimulatedBlock.h - Executes plans on element indices -------------------------===//
//
// Registers hold indices of the tile's elements instead of numbers. A plan is correct if it moves every index to the
// positions given by the result's layout.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TESTS_UNIT_PLANS_SIMULATEDBLOCK_H
#define HOCKET_TESTS_UNIT_PLANS_SIMULATEDBLOCK_H

#include "plans/ConvertLayoutPlan.h"
#include <random>

namespace hocket {

/// Sizes of a block and of the tile it holds, as numbers of bits.
struct BlockBits {
  unsigned reg, lane, warp;
};

/// block[warp][lane][register]
template <typename T>
using Registers = std::vector<std::vector<std::vector<T>>>;

template <typename T, typename Fn>
Registers<T> makeRegisters(unsigned warps, unsigned lanes, unsigned registers, Fn valueAt) {
  Registers<T> result(warps, std::vector<std::vector<T>>(lanes, std::vector<T>(registers)));
  for (unsigned warp = 0; warp < warps; ++warp)
    for (unsigned lane = 0; lane < lanes; ++lane)
      for (unsigned reg = 0; reg < registers; ++reg)
        result[warp][lane][reg] = valueAt(reg, lane, warp);
  return result;
}

/// Returns the flattened tensor index at each position.
Registers<int64_t> elementsOf(const LinearLayout &layout);

/// Returns the result of a plan on the operand's registers; -1 for registers that it does not write.
Registers<int64_t> execute(const RegisterMoves &moves, const Registers<int64_t> &src);
Registers<int64_t> execute(const ShuffleMoves &moves, const Registers<int64_t> &src);
/// Checks that each address gets a single value, and that accesses are aligned and within the scratch.
Registers<int64_t> execute(const SharedMoves &moves, const Registers<int64_t> &src);
/// Not simulated here: ClusterMovesPlanTest.cpp covers moves between blocks.
inline Registers<int64_t> execute(const ClusterMoves &, const Registers<int64_t> &) { return {}; }

/// Returns a layout in which every input bit moves one coordinate, or none (copies), like typical layouts of users.
LinearLayout drawPlainLayout(std::mt19937 &random, BlockBits bits, std::span<const DimBits> tile);
/// Returns any surjective map.
LinearLayout drawLayout(std::mt19937 &random, BlockBits bits, std::span<const DimBits> tile);

} // namespace hocket

#endif
