//===- PositionMap.cpp - Source positions of a layout conversion, solved bit by bit ---===//
//
// The bases of the operand's layout are inserted into an F2Span in the order registers, lanes, warps. The F2Span uses
// only bases that are linearly independent of earlier bases, so it finds exactly one position for each element. The
// position for an element has set lane bits only if no register of lane 0 of warp 0 holds the element, and set warp
// bits only if no lane of warp 0 holds the element.
//
//===------------------------------------------------------------------------------===//
#include "plans/PositionMap.h"

#include "layout/F2Span.h"
#include <cassert>

namespace hocket {

std::vector<uint64_t> flatBases(const LinearLayout &layout, Dim in, unsigned bits) {
  std::span<const uint64_t> bases = layout.hasInDim(in) ? layout.getFlatBases(in) : std::span<const uint64_t>();
  std::vector<uint64_t> result(bases.begin(), bases.end());
  result.resize(std::max<size_t>(result.size(), bits));
  return result;
}

Position PositionMap::ofRegister(unsigned index) const {
  Position position;
  for (unsigned bit = 0; bit < reg.size(); ++bit)
    if (index >> bit & 1)
      position ^= reg[bit];
  return position;
}

namespace {
/// Finds the position at which the operand holds an element.
struct PlaceSolver {
  F2Span span;
  unsigned regBits, laneBits, warpBits;

  Position decode(uint64_t recipe) const {
    auto field = [&](unsigned shift, unsigned bits) {
      return static_cast<unsigned>(recipe >> shift & ((uint64_t(1) << bits) - 1));
    };
    return {field(0, regBits), field(regBits, laneBits), field(regBits + laneBits, warpBits)};
  }
  Position solve(uint64_t element) const {
    std::optional<uint64_t> recipe = span.solve(element);
    assert(recipe && "the operand's layout is not surjective");
    return decode(recipe.value_or(0));
  }
};
} // namespace

PositionMap computePositionMap(const LinearLayout &src, const LinearLayout &dst) {
  unsigned laneBits = std::max(src.getInDimSizeLog2(Dim::Lane), dst.getInDimSizeLog2(Dim::Lane));
  unsigned warpBits = std::max(src.getInDimSizeLog2(Dim::Warp), dst.getInDimSizeLog2(Dim::Warp));
  auto srcReg = flatBases(src, Dim::Register), dstReg = flatBases(dst, Dim::Register);
  auto srcLane = flatBases(src, Dim::Lane, laneBits), dstLane = flatBases(dst, Dim::Lane, laneBits);
  auto srcWarp = flatBases(src, Dim::Warp, warpBits), dstWarp = flatBases(dst, Dim::Warp, warpBits);

  PositionMap map;
  map.numRegisterBits = srcReg.size(), map.numLaneBits = laneBits, map.numWarpBits = warpBits;
  PlaceSolver solver{{}, map.numRegisterBits, laneBits, warpBits};
  for (uint64_t basis : srcReg)
    solver.span.insert(basis);
  for (unsigned bit = 0; bit < laneBits; ++bit) {
    Position self{.lane = 1u << bit};
    bool isCopy = solver.span.contains(srcLane[bit]);
    if (isCopy)
      map.laneCopies.push_back(self ^ solver.solve(srcLane[bit]));
    solver.span.insert(srcLane[bit]);
  }
  for (uint64_t basis : srcWarp)
    solver.span.insert(basis);

  F2Span resultRegisters;
  for (uint64_t basis : dstReg) {
    map.reg.push_back(solver.solve(basis));
    map.original.push_back(resultRegisters.solve(basis).value_or(1u << map.original.size()));
    resultRegisters.insert(basis);
  }
  for (unsigned bit = 0; bit < laneBits; ++bit) {
    Position moved = solver.solve(dstLane[bit] ^ srcLane[bit]);
    bool staysInLane = !moved.lane && !moved.warp;
    map.lane.push_back(staysInLane ? moved ^ Position{.lane = 1u << bit} : solver.solve(dstLane[bit]));
  }
  for (unsigned bit = 0; bit < warpBits; ++bit) {
    Position moved = solver.solve(dstWarp[bit] ^ srcWarp[bit]);
    map.warp.push_back(!moved.warp ? moved ^ Position{.warp = 1u << bit} : solver.solve(dstWarp[bit]));
  }
  return map;
}

} // namespace hocket
