//===- ReducePlan.cpp - Splits a reduction over registers, lanes and warps ----------===//
//
// A *vector* is the XOR of two positions (register, lane, warp) that contribute to the same result. The plan finds a
// basis of the space of these vectors, trying the position bits in the order registers, lanes, warps. The *axis
// difference* of a vector is the XOR of the indices along the axis at the two positions. A vector is dropped if its
// axis difference is an XOR of the axis differences of earlier vectors: combining along the vector would only add
// copies of elements that have been combined already. log2(axis size) vectors remain.
//
// In scratch memory, the partials of a result (one per warp that contributes) are numbered by their index along the
// axis. Two axis indices belong to the same partial, and have the same number, if their XOR is an XOR of axis
// differences that registers or lanes have combined.
//
//===------------------------------------------------------------------------------===//
#include "plans/ReducePlan.h"

#include "layout/F2Span.h"
#include "plans/PositionMap.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/MathExtras.h"
#include <bit>
#include <map>

namespace hocket {

/// With at most this number of results, the partials of a result are adjacent in scratch memory, so that a lane reads
/// several partials by one wide access. With more results, stores of adjacent partials would have bank conflicts.
static constexpr unsigned kMaxResultsSideBySide = 4;
/// If a block has only one result: maximum number of partials that a lane reads. Four f32 partials are one access of
/// 128 bits.
static constexpr unsigned kMaxPartialsPerLane = 4;

namespace {

/// The operand's layout, in which an element is represented by two numbers: the flattened index of its result, and its
/// index along the axis.
struct AxisSplit {
  struct Word {
    uint64_t result = 0, axis = 0;
    Word &operator^=(const Word &other) {
      result ^= other.result, axis ^= other.axis;
      return *this;
    }
  };
  /// One basis for each bit of a position (register, lane, warp): first the register bits, then the lane bits, then the
  /// warp bits.
  std::vector<Word> bases;
  unsigned regBits, laneBits, warpBits, resultBits, axisBits;

  AxisSplit(const LinearLayout &src, unsigned axis) {
    regBits = src.getInDimSizeLog2(Dim::Register);
    laneBits = src.getInDimSizeLog2(Dim::Lane);
    warpBits = src.getInDimSizeLog2(Dim::Warp);
    axisBits = src.getOutDimSizeLog2(tensorDim(axis));
    resultBits = src.getTotalOutBits() - axisBits;
    for (auto [dim, bits] :
         {std::pair(Dim::Register, regBits), std::pair(Dim::Lane, laneBits), std::pair(Dim::Warp, warpBits)})
      for (unsigned bit = 0; bit < bits; ++bit)
        bases.push_back(split(src.getBasis(dim, bit), src.getOutDims(), axis));
  }

  /// Splits `coords` into the index along the axis and the flattened index of the result, in which the first dimension
  /// is contiguous.
  static Word split(const Coords &coords, std::span<const DimBits> outs, unsigned axis) {
    Word word;
    unsigned shift = 0;
    for (const DimBits &out : outs) {
      uint64_t index = coords[out.dim];
      if (out.dim == tensorDim(axis)) {
        word.axis = index;
      } else {
        word.result |= index << shift;
        shift += out.bits;
      }
    }
    return word;
  }

  Word apply(uint64_t position) const {
    Word word;
    for (; position; position &= position - 1)
      word ^= bases[std::countr_zero(position)];
    return word;
  }
  unsigned registerOf(uint64_t position) const { return position & ((uint64_t(1) << regBits) - 1); }
  unsigned laneOf(uint64_t position) const { return position >> regBits & ((uint64_t(1) << laneBits) - 1); }
  unsigned warpOf(uint64_t position) const { return position >> (regBits + laneBits); }
};

/// Vectors (XORs of two positions) along which each of the three steps of the plan combines values.
struct ReduceVectors {
  std::vector<uint64_t> inRegisters, betweenLanes, betweenWarps;
  /// Basis of the XORs of two registers of one group: the two registers hold copies of an element, or elements that
  /// contribute to the same result.
  std::vector<unsigned> groupRegisters;
};

} // namespace

static ReduceVectors findVectors(const AxisSplit &split) {
  ReduceVectors vectors;
  F2Span results, axis;
  for (unsigned bit = 0; bit < split.bases.size(); ++bit) {
    std::optional<uint64_t> recipe = results.solve(split.bases[bit].result);
    results.insert(split.bases[bit].result);
    if (!recipe)
      continue;
    uint64_t vector = *recipe | uint64_t(1) << bit;
    bool isInRegisters = !split.laneOf(vector) && !split.warpOf(vector);
    if (isInRegisters)
      vectors.groupRegisters.push_back(split.registerOf(vector));
    if (!axis.insert(split.apply(vector).axis))
      continue;
    if (isInRegisters)
      vectors.inRegisters.push_back(vector);
    else if (!split.warpOf(vector))
      vectors.betweenLanes.push_back(vector);
    else
      vectors.betweenWarps.push_back(vector);
  }
  return vectors;
}

/// Returns the XORs of all subsets of `generators`; the XOR of the subset with bit mask i is at index i.
static std::vector<unsigned> spanOf(llvm::ArrayRef<unsigned> generators) {
  std::vector<unsigned> span = {0};
  for (unsigned generator : generators)
    for (size_t i = 0, size = span.size(); i < size; ++i)
      span.push_back(span[i] ^ generator);
  return span;
}

/// Builds the linear map (register, lane, warp) -> offset from the offset of each bit of the position.
static LinearLayout makeOffsets(std::array<unsigned, 3> bits, unsigned offsetBits,
                                llvm::function_ref<uint64_t(Dim, unsigned)> offsetOf) {
  const DimBits ins[] = {
      {Dim::Register, uint8_t(bits[0])}, {Dim::Lane, uint8_t(bits[1])}, {Dim::Warp, uint8_t(bits[2])}};
  const DimBits outs[] = {{Dim::Offset, uint8_t(offsetBits)}};
  LinearLayout layout = LinearLayout::zeros(ins, outs);
  for (const DimBits &in : ins)
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      const DimIndex value[] = {{Dim::Offset, int32_t(offsetOf(in.dim, bit))}};
      layout.setBasis(in.dim, bit, value);
    }
  return layout;
}

/// Returns the flattened index of the element that the result holds at position 1 << bit of `dim` (and position 0 of
/// the other input dimensions). The index is flattened as in AxisSplit::split.
static uint64_t resultIndex(const LinearLayout *result, Dim dim, unsigned bit) {
  if (!result || bit >= result->getInDimSizeLog2(dim))
    return 0;
  return result->flattenOut(result->getBasis(dim, bit));
}

static ReduceExchange planExchange(const AxisSplit &split, const ReduceVectors &vectors, const LinearLayout *result) {
  // The axis differences between warps are inserted last. In the solution for an axis index, the high bits then select
  // axis differences between warps, so they are the number of the partial. The low bits select axis differences that
  // registers and lanes have combined already.
  F2Span axis;
  unsigned combinedBits = vectors.inRegisters.size() + vectors.betweenLanes.size();
  for (const auto *list : {&vectors.inRegisters, &vectors.betweenLanes, &vectors.betweenWarps})
    for (uint64_t vector : *list)
      axis.insert(split.apply(vector).axis);

  ReduceExchange exchange;
  unsigned partialBits = vectors.betweenWarps.size();
  exchange.partials = 1u << partialBits;
  exchange.results = 1u << split.resultBits;
  bool isSideBySide = exchange.results <= kMaxResultsSideBySide;
  exchange.partialStride = isSideBySide ? 1 : exchange.results;
  unsigned resultShift = isSideBySide ? partialBits : 0, partialShift = isSideBySide ? 0 : split.resultBits;
  unsigned offsetBits = partialBits + split.resultBits;

  exchange.storeOffset =
      makeOffsets({split.regBits, split.laneBits, split.warpBits}, offsetBits, [&](Dim dim, unsigned bit) {
        unsigned position = bit + (dim == Dim::Register ? 0 : split.regBits) + (dim == Dim::Warp ? split.laneBits : 0);
        const AxisSplit::Word &word = split.bases[position];
        uint64_t partial = *axis.solve(word.axis) >> combinedBits;
        return word.result << resultShift | partial << partialShift;
      });
  // If the block has only one result, a lane reads at most four partials, because registers limit occupancy. For
  // example, a softmax kernel with bf16 rows of 8192 elements and 8 warps needs 48 registers per lane if each lane
  // reads four partials, and 64 registers if each lane reads all eight.
  exchange.partialsPerLane =
      exchange.results == 1 ? std::min(exchange.partials, kMaxPartialsPerLane) : exchange.partials;
  auto spreadPartial = [&](Dim dim, unsigned bit) -> uint64_t {
    uint64_t partial = uint64_t(exchange.partialsPerLane) << bit;
    return dim == Dim::Lane && partial < exchange.partials ? partial : 0;
  };
  unsigned resultRegBits = result ? result->getInDimSizeLog2(Dim::Register) : 0;
  exchange.loadOffset =
      makeOffsets({resultRegBits, split.laneBits, split.warpBits}, offsetBits, [&](Dim dim, unsigned bit) {
        return resultIndex(result, dim, bit) << resultShift | spreadPartial(dim, bit);
      });
  return exchange;
}

ReducePlan planReduce(const LinearLayout &src, unsigned axis, const LinearLayout *result) {
  AxisSplit split(src, axis);
  ReduceVectors vectors = findVectors(split);

  ReducePlan plan;
  std::vector<unsigned> reduced;
  for (uint64_t vector : vectors.inRegisters)
    reduced.push_back(split.registerOf(vector));
  std::vector<unsigned> members = spanOf(reduced), group = spanOf(vectors.groupRegisters);
  constexpr unsigned kNone = ~0u;
  plan.groupOf.assign(size_t(1) << split.regBits, kNone);
  for (unsigned reg = 0; reg < plan.groupOf.size(); ++reg) {
    if (plan.groupOf[reg] != kNone)
      continue;
    for (unsigned difference : group)
      plan.groupOf[reg ^ difference] = plan.groups.size();
    auto &registers = plan.groups.emplace_back();
    for (unsigned difference : members)
      registers.push_back(reg ^ difference);
  }

  for (uint64_t vector : vectors.betweenLanes) {
    ReduceLaneStep &step = plan.laneSteps.emplace_back();
    step.laneXor = split.laneOf(vector);
    for (const std::vector<unsigned> &registers : plan.groups)
      step.partner.push_back(plan.groupOf[registers.front() ^ split.registerOf(vector)]);
  }

  if (!vectors.betweenWarps.empty()) {
    plan.exchange = planExchange(split, vectors, result);
    return plan;
  }
  // A bit of the lane or warp index changes the coordinates of the result equally in the operand's layout and in the
  // result's layout. It is therefore sufficient to assign groups to the result registers of lane 0 of warp 0.
  std::map<uint64_t, unsigned> groupOfResult;
  for (unsigned i = 0; i < plan.groups.size(); ++i)
    groupOfResult.emplace(split.apply(plan.groups[i].front()).result, i);
  for (unsigned reg = 0, end = result ? result->getInDimSize(Dim::Register) : 1; reg < end; ++reg) {
    uint64_t index = 0;
    for (unsigned bit = 0; reg >> bit; ++bit)
      if (reg >> bit & 1)
        index ^= resultIndex(result, Dim::Register, bit);
    plan.resultGroup.push_back(groupOfResult.at(index));
  }
  return plan;
}

int64_t exchangeBytes(const ReduceExchange &exchange, unsigned elementBits) {
  return llvm::alignTo(exchange.elements() * elementBits / 8, 16);
}

} // namespace hocket
