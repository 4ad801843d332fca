//===- GatherPlan.cpp - Plans for gathers along an axis -------------------------------===//
//
// A position is a triple (register, lane, warp). Within one warp, the operand's layout maps (register, lane) to
// elements. Each bit of the result's position changes the index of the gathered element by an XOR. The inverse of the
// operand's layout maps this change to a change of the operand's (register, lane). For a bit of the warp index, the
// operand's own basis of this bit is XORed out first, because operand and result are in the same warp. If the inverse
// is not defined for a change, the gathered element can be in another warp, so there is no Local plan.
//
//===------------------------------------------------------------------------------===//
#include "plans/GatherPlan.h"

#include "layout/F2Span.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include <bit>

namespace hocket {

/// Maximum numbers of candidate registers: kMaxShuffledCandidates if the candidates are shuffled from other lanes, and
/// kMaxLocalCandidates if all candidates are registers of the reading lane.
static constexpr size_t kMaxShuffledCandidates = 4, kMaxLocalCandidates = 16;

namespace {

/// Finds the position at which the operand holds the element with a given flattened tensor index.
class OperandPositions {
public:
  /// Searches only positions along the input dimensions `dims` of `src`. If several positions hold an element, `solve`
  /// prefers a position with set bits in earlier dimensions of `dims`.
  OperandPositions(const LinearLayout &src, llvm::ArrayRef<Dim> dims) {
    for (Dim dim : dims)
      for (unsigned bit = 0; bit < src.getInDimSizeLog2(dim); ++bit) {
        span.insert(src.flattenOut(src.getBasis(dim, bit)));
        positions.push_back({{dim, int32_t(1) << bit}});
      }
  }

  /// Returns the register and lane that hold `element`; nullopt if no position along the chosen dimensions holds
  /// `element`.
  std::optional<Coords> solve(uint64_t element) const {
    std::optional<uint64_t> recipe = span.solve(element);
    if (!recipe)
      return std::nullopt;
    Coords position = {{Dim::Register, 0}, {Dim::Lane, 0}};
    for (unsigned i = 0; i < positions.size(); ++i)
      if (*recipe >> i & 1)
        for (DimIndex &item : position)
          item.index ^= positions[i][item.dim];
    return position;
  }

private:
  F2Span span;
  std::vector<Coords> positions;
};

/// Computes the flattened index of the operand's element that a gather reads. The flattened index is the XOR of two
/// linear functions over F2: `ofPlace` of the position in the result (with index 0 along the axis), and `ofIndex` of
/// the gathered index.
class Wanted {
public:
  Wanted(const LinearLayout &src, const LinearLayout &result, unsigned axis)
      : src(src), result(result), axis(tensorDim(axis)) {}

  uint64_t ofPlace(Dim dim, unsigned bit) const {
    if (bit >= result.getInDimSizeLog2(dim))
      return 0;
    Coords coords = result.getBasis(dim, bit);
    for (DimIndex &item : coords)
      if (item.dim == axis)
        item.index = 0;
    return src.flattenOut(coords);
  }
  uint64_t ofIndex(unsigned bit) const {
    const DimIndex index[] = {{axis, int32_t(1) << bit}};
    return src.flattenOut(index);
  }
  /// Returns the flattened index of the element that the operand holds at position 1 << bit of `dim` (and position 0 of
  /// the other input dimensions).
  uint64_t held(Dim dim, unsigned bit) const {
    return bit < src.getInDimSizeLog2(dim) ? src.flattenOut(src.getBasis(dim, bit)) : 0;
  }
  unsigned bitsOf(Dim dim) const { return std::max(src.getInDimSizeLog2(dim), result.getInDimSizeLog2(dim)); }
  unsigned indexBits() const { return src.getOutDimSizeLog2(axis); }

private:
  const LinearLayout &src, &result;
  Dim axis;
};

} // namespace

/// True if each block of a cluster holds all elements that it gathers.
static bool staysInBlock(const LinearLayout &src, const Wanted &wanted) {
  OperandPositions ofBlock(src, {Dim::Register, Dim::Lane, Dim::Warp});
  for (unsigned bit = 0; bit < wanted.indexBits(); ++bit)
    if (!ofBlock.solve(wanted.ofIndex(bit)))
      return false;
  for (unsigned bit = 0; bit < wanted.bitsOf(Dim::Block); ++bit)
    if (!ofBlock.solve(wanted.ofPlace(Dim::Block, bit) ^ wanted.held(Dim::Block, bit)))
      return false;
  return true;
}

/// Computes a basis `generators` of the span of `words` over F2, such that bit number selectors[k] is set only in
/// generators[k].
static void findGenerators(llvm::ArrayRef<unsigned> words, std::vector<unsigned> &generators,
                           std::vector<unsigned> &selectors) {
  for (unsigned word : words) {
    for (auto [generator, selector] : llvm::zip_equal(generators, selectors))
      if (word >> selector & 1)
        word ^= generator;
    if (!word)
      continue;
    unsigned own = std::countr_zero(word);
    for (unsigned &generator : generators)
      if (generator >> own & 1)
        generator ^= word;
    generators.push_back(word);
    selectors.push_back(own);
  }
}

static std::optional<LocalGather> tryLocalGather(const LinearLayout &src, const Wanted &wanted,
                                                 unsigned resultRegisterBits) {
  OperandPositions ofWarp(src, {Dim::Lane, Dim::Register});
  const DimBits outs[] = {{Dim::Register, uint8_t(src.getInDimSizeLog2(Dim::Register))},
                          {Dim::Lane, uint8_t(src.getInDimSizeLog2(Dim::Lane))}};
  const DimBits positions[] = {{Dim::Register, uint8_t(resultRegisterBits)},
                               {Dim::Lane, uint8_t(wanted.bitsOf(Dim::Lane))},
                               {Dim::Warp, uint8_t(wanted.bitsOf(Dim::Warp))}};
  const DimBits index[] = {{Dim::Dim0, uint8_t(wanted.indexBits())}};
  LocalGather plan;
  plan.fromPlace = LinearLayout::zeros(positions, outs);
  plan.fromIndex = LinearLayout::zeros(index, outs);
  plan.staysInLane = true;
  std::vector<unsigned> chosenAtRunTime;

  for (const DimBits &in : positions)
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      uint64_t element = wanted.ofPlace(in.dim, bit);
      // If a lane itself holds the gathered element, the lane reads its own register.
      bool isOwnLane = in.dim == Dim::Lane && element == wanted.held(Dim::Lane, bit) && bit < outs[1].bits;
      std::optional<Coords> position =
          ofWarp.solve(in.dim == Dim::Warp ? element ^ wanted.held(Dim::Warp, bit) : element);
      if (!position)
        return std::nullopt;
      if (isOwnLane)
        position = Coords{{Dim::Register, 0}, {Dim::Lane, int32_t(1) << bit}};
      plan.fromPlace.setBasis(in.dim, bit, *position);
      plan.staysInLane &= (*position)[Dim::Lane] == (in.dim == Dim::Lane ? int32_t(1) << bit : 0);
      if (in.dim != Dim::Register)
        chosenAtRunTime.push_back((*position)[Dim::Register]);
    }
  for (unsigned bit = 0; bit < wanted.indexBits(); ++bit) {
    std::optional<Coords> position = ofWarp.solve(wanted.ofIndex(bit));
    if (!position)
      return std::nullopt;
    plan.fromIndex.setBasis(Dim::Dim0, bit, *position);
    plan.staysInLane &= (*position)[Dim::Lane] == 0;
    chosenAtRunTime.push_back((*position)[Dim::Register]);
  }
  findGenerators(chosenAtRunTime, plan.generators, plan.selectors);
  if (plan.numCandidates() > (plan.staysInLane ? kMaxLocalCandidates : kMaxShuffledCandidates))
    return std::nullopt;
  return plan;
}

/// Plans a gather through scratch memory, which holds the operand in row-major order. The load offsets do not include
/// the gathered index, which is known only at run time.
static SharedGather planShared(const LinearLayout &src, const LinearLayout &result, unsigned axis) {
  SharedGather plan;
  plan.elements = src.getTotalOutDimSize();
  unsigned totalBits = src.getTotalOutBits();
  auto shiftOf = [&](Dim dim) {
    unsigned shift = 0;
    for (const DimBits &out : src.getOutDims())
      if (out.dim > dim)
        shift += out.bits;
    return shift;
  };
  plan.axisShift = shiftOf(tensorDim(axis));
  auto offsetsOf = [&](const LinearLayout &layout, bool withAxis) {
    const DimBits outs[] = {{Dim::Offset, uint8_t(totalBits)}};
    LinearLayout offsets = LinearLayout::zeros(layout.getInDims(), outs);
    for (const DimBits &in : layout.getInDims())
      for (unsigned bit = 0; bit < in.bits; ++bit) {
        int32_t offset = 0;
        for (const DimIndex &item : layout.getBasis(in.dim, bit))
          if (withAxis || item.dim != tensorDim(axis))
            offset |= item.index << shiftOf(item.dim);
        const DimIndex value[] = {{Dim::Offset, offset}};
        offsets.setBasis(in.dim, bit, value);
      }
    return offsets;
  };
  plan.storeOffset = offsetsOf(src, true);
  plan.loadOffset = offsetsOf(result, false);
  return plan;
}

std::optional<GatherPlan> planGather(const LinearLayout &src, const LinearLayout &result, unsigned axis) {
  Wanted wanted(src, result, axis);
  if (!staysInBlock(src, wanted))
    return std::nullopt;
  // If elements are distributed over the blocks of a cluster, a Local plan would depend on the block. A Shared plan
  // does not depend on the block, because each block has its own scratch memory.
  bool hasBlocks = src.getInDimSizeLog2(Dim::Block) || result.getInDimSizeLog2(Dim::Block);
  if (!hasBlocks)
    if (auto local = tryLocalGather(src, wanted, result.getInDimSizeLog2(Dim::Register)))
      return *local;
  return planShared(src, result, axis);
}

} // namespace hocket
