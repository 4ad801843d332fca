//===- SimulatedBlock.h - Executes plans on element indices -------------------------===//
//
// Instead of numbers, registers hold the index of the tile's element they stand for. A plan is right if it brings every
// index to the places where the result's layout wants it.
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

/// Flattened tensor index at each place.
Registers<int64_t> elementsOf(const LinearLayout &layout);

/// What a plan makes of the operand's registers; -1 where it moves nothing.
Registers<int64_t> execute(const RegisterMoves &moves, const Registers<int64_t> &src);
Registers<int64_t> execute(const ShuffleMoves &moves, const Registers<int64_t> &src);
/// Checks that no address gets two different values, and that accesses are aligned and within the scratch.
Registers<int64_t> execute(const SharedMoves &moves, const Registers<int64_t> &src);
/// Between blocks: ClusterMovesPlanTest.cpp.
inline Registers<int64_t> execute(const ClusterMoves &, const Registers<int64_t> &) { return {}; }

/// Every input bit moves one coordinate, or none (copies): what users write.
LinearLayout drawPlainLayout(std::mt19937 &random, BlockBits bits, std::span<const DimBits> tile);
/// Any surjective map.
LinearLayout drawLayout(std::mt19937 &random, BlockBits bits, std::span<const DimBits> tile);

} // namespace hocket

#endif
