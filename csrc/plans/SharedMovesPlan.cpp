//===- SharedMovesPlan.cpp - Layout conversions through scratch memory --------------===//
//
// 1. Split the tile. A *direction* is a basis vector of the space of flattened element indices. Directions outside of
//    the span of the lane and warp bases of both layouts depend on registers only. The scratch limit determines how
//    many of these directions number the repetitions; all other directions form the *part* of the tile that one
//    repetition moves.
// 2. Choose the offsets of a part by layout/OptimalSwizzle.h, for the layouts of operand and result within the part.
// 3. Extend the offsets to the tile: the offset bits above those of the part are the index of the repetition, so that
//    one plan of vector accesses covers all repetitions.
//
//===------------------------------------------------------------------------------===//
#include "plans/SharedMovesPlan.h"

#include "layout/F2Span.h"
#include "layout/OptimalSwizzle.h"
#include "plans/PositionMap.h"
#include "llvm/ADT/STLExtras.h"
#include <bit>

namespace hocket {

using Words = std::vector<uint64_t>;

namespace {
/// A basis of the space of element indices of the tile. `part` holds the directions within a part of the tile, and
/// `repetition` holds the directions that number the repetitions.
struct TileSplit {
  Words part, repetition;
};

/// The bases of the operand's or the result's layout, as flattened element indices.
struct Side {
  Words reg, lane, warp;
  Side(const LinearLayout &layout)
      : reg(flatBases(layout, Dim::Register)), lane(flatBases(layout, Dim::Lane)), warp(flatBases(layout, Dim::Warp)) {}
};
} // namespace

static Words concat(std::initializer_list<const Words *> lists) {
  Words all;
  for (const Words *list : lists)
    all.insert(all.end(), list->begin(), list->end());
  return all;
}

static TileSplit splitTile(const Side &src, const Side &dst, unsigned tileBits, unsigned wantedRepetitionBits) {
  TileSplit split;
  Words byLanes = independentOf(concat({&src.lane, &src.warp, &dst.lane, &dst.warp}));
  // Directions in the span of both layouts' register bases are assigned to the part first, because such directions
  // allow wide accesses.
  Words common = extendSpan(byLanes, intersectSpans(src.reg, dst.reg));
  Words rest = extendSpan(concat({&byLanes, &common}), unitWords(tileBits));
  Words free = concat({&common, &rest});
  unsigned repetitionBits = std::min<size_t>(wantedRepetitionBits, free.size());
  split.part = concat({&byLanes, &free});
  split.repetition.assign(split.part.end() - repetitionBits, split.part.end());
  split.part.resize(split.part.size() - repetitionBits);
  return split;
}

/// Returns the layout of `side` within one part of the tile, with coordinates relative to this part.
static LinearLayout layoutOfPart(const Side &side, const F2Span &directions, unsigned partBits) {
  uint64_t partMask = (uint64_t(1) << partBits) - 1;
  auto coordinates = [&](uint64_t element) { return *directions.solve(element); };
  // Register bits within a part: XORs of register bases that do not change the index of the repetition.
  Words registers;
  F2Span repetitions;
  for (unsigned bit = 0; bit < side.reg.size(); ++bit) {
    uint64_t repetition = coordinates(side.reg[bit]) & ~partMask;
    if (std::optional<uint64_t> recipe = repetitions.solve(repetition)) {
      uint64_t element = side.reg[bit];
      for (; *recipe; *recipe &= *recipe - 1)
        element ^= side.reg[std::countr_zero(*recipe)];
      registers.push_back(coordinates(element));
    }
    repetitions.insert(repetition);
  }
  const DimBits outs[] = {{Dim::Dim0, uint8_t(partBits)}};
  const DimBits ins[] = {{Dim::Register, uint8_t(registers.size())},
                         {Dim::Lane, uint8_t(side.lane.size())},
                         {Dim::Warp, uint8_t(side.warp.size())}};
  LinearLayout layout = LinearLayout::zeros(ins, outs);
  auto fill = [&](Dim dim, const Words &values) {
    for (unsigned bit = 0; bit < values.size(); ++bit)
      layout.setBasis(dim, bit, layout.unflattenOut(values[bit]));
  };
  fill(Dim::Register, registers);
  auto inPart = [&](const Words &elements) { return llvm::to_vector(llvm::map_range(elements, coordinates)); };
  for (auto [dim, elements] : {std::pair(Dim::Lane, &side.lane), std::pair(Dim::Warp, &side.warp)}) {
    auto values = inPart(*elements);
    fill(dim, Words(values.begin(), values.end()));
  }
  return layout;
}

/// Returns the map from (register, lane, warp) of `side` to an offset. The low bits of the offset are the offset within
/// a part, and the high bits are the index of the repetition.
static LinearLayout offsetsOf(const Side &side, const F2Span &directions, const LinearLayout &offsetOfPart,
                              unsigned partBits, unsigned tileBits) {
  uint64_t partMask = (uint64_t(1) << partBits) - 1;
  const DimBits outs[] = {{Dim::Offset, uint8_t(tileBits)}};
  const DimBits ins[] = {{Dim::Register, uint8_t(side.reg.size())},
                         {Dim::Lane, uint8_t(side.lane.size())},
                         {Dim::Warp, uint8_t(side.warp.size())}};
  LinearLayout layout = LinearLayout::zeros(ins, outs);
  for (auto [dim, elements] :
       {std::pair(Dim::Register, &side.reg), std::pair(Dim::Lane, &side.lane), std::pair(Dim::Warp, &side.warp)})
    for (unsigned bit = 0; bit < elements->size(); ++bit) {
      uint64_t coordinates = *directions.solve((*elements)[bit]);
      uint64_t offset = offsetOfPart.applyFlat(coordinates & partMask) | (coordinates & ~partMask);
      const DimIndex value[] = {{Dim::Offset, int32_t(offset)}};
      layout.setBasis(dim, bit, value);
    }
  return layout;
}

SharedMoves planSharedMoves(const LinearLayout &src, const LinearLayout &dst, unsigned elementBits,
                            const TargetInfo &target, int64_t scratchLimit) {
  unsigned tileBits = src.getTotalOutBits();
  int64_t tileBytes = (int64_t(1) << tileBits) * elementBits / 8;
  unsigned wantedBits = 0;
  while (tileBytes >> wantedBits > scratchLimit)
    ++wantedBits;

  Side from(src), to(dst);
  TileSplit split = splitTile(from, to, tileBits, wantedBits);
  unsigned partBits = split.part.size();
  F2Span directions(concat({&split.part, &split.repetition}));

  SharedLinear shared = optimalSwizzle(layoutOfPart(from, directions, partBits), layoutOfPart(to, directions, partBits),
                                       elementBits, *target.sharedPhases);
  LinearLayout offsetOfPart = shared.layout.sublayout({Dim::Offset}, {Dim::Dim0}).invert();

  SharedMoves moves;
  moves.storeOffset = offsetsOf(from, directions, offsetOfPart, partBits, tileBits);
  moves.loadOffset = offsetsOf(to, directions, offsetOfPart, partBits, tileBits);
  int32_t maxWidth = int32_t(1) << std::min<unsigned>(partBits, log2Exact(target.maxAccessBits / elementBits));
  moves.store = planVectorAccess(moves.storeOffset, maxWidth);
  moves.load = planVectorAccess(moves.loadOffset, maxWidth);
  moves.repetitions = 1u << split.repetition.size();
  moves.elementsPerRepetition = int64_t(1) << partBits;
  moves.scratchBytes = moves.elementsPerRepetition * elementBits / 8;
  return moves;
}

} // namespace hocket
