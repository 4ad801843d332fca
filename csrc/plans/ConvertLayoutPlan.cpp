//===- ConvertLayoutPlan.cpp - Choice between registers, shuffles and shared memory -===//
//
// A position is a triple (register, lane, warp). A conversion is represented by a matrix over F2: the column for a bit
// of the result's position is the position at which the operand holds the same element. If the operand holds several
// copies of an element, a copy in the lane of the result is preferred, then a copy in the warp of the result. If the
// operand holds an element only in another warp than the result, the tile is exchanged through shared memory.
//
//===------------------------------------------------------------------------------===//
#include "plans/ConvertLayoutPlan.h"

#include "plans/PositionMap.h"
#include "plans/SharedMovesPlan.h"
#include "plans/ShuffleMovesPlan.h"

namespace hocket {

int64_t maxScratchBytes(const TargetInfo &target) { return target.maxSharedBytes / 4; }

static std::optional<RegisterMoves> tryRegisterMoves(const PositionMap &map) {
  for (unsigned bit = 0; bit < map.numLaneBits; ++bit)
    if (map.lane[bit] != Position{.lane = 1u << bit})
      return {};
  for (unsigned bit = 0; bit < map.numWarpBits; ++bit)
    if (map.warp[bit] != Position{.warp = 1u << bit})
      return {};
  RegisterMoves moves;
  for (unsigned reg = 0, end = 1u << map.reg.size(); reg < end; ++reg) {
    Position source = map.ofRegister(reg);
    if (source.lane || source.warp)
      return {};
    moves.source.push_back(source.reg);
  }
  return moves;
}

static ConvertLayoutPlan planInBlock(const LinearLayout &src, const LinearLayout &dst, unsigned elementBits,
                                     const TargetInfo &target, std::optional<int64_t> scratchLimit) {
  PositionMap map = computePositionMap(src, dst);
  if (auto moves = tryRegisterMoves(map))
    return *std::move(moves);
  if (auto moves = tryShuffleMoves(map, elementBits))
    return *std::move(moves);
  return planSharedMoves(src, dst, elementBits, target, scratchLimit.value_or(maxScratchBytes(target)));
}

std::optional<ConvertLayoutPlan> planConvertLayout(const LinearLayout &src, const LinearLayout &dst,
                                                   unsigned elementBits, const TargetInfo &target,
                                                   std::optional<int64_t> scratchLimit) {
  if (src.getInDimSizeLog2(Dim::Block) == 0 && dst.getInDimSizeLog2(Dim::Block) == 0)
    return planInBlock(src, dst, elementBits, target, scratchLimit);
  if (haveEqualParts(src, dst)) {
    std::optional<LinearLayout> from = withinBlock(src), to = withinBlock(dst);
    if (from && to)
      return planInBlock(*from, *to, elementBits, target, scratchLimit);
  }
  if (std::optional<ClusterMoves> moves = planClusterMoves(src, dst, elementBits, target.maxAccessBits))
    return *std::move(moves);
  return std::nullopt;
}

} // namespace hocket
