//===- ScanPlan.cpp - Splits a scan over registers, lanes and warps ------------------===//
#include "plans/ScanPlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <bit>
#include <map>

namespace hocket {

/// With at most this number of rows, the totals of a row are adjacent in scratch memory, so that a lane reads several
/// totals by one wide access. With more rows, stores of adjacent totals would have bank conflicts.
static constexpr unsigned kMaxRowsSideBySide = 4;

namespace {

/// Bit number `bit` of the register, lane or warp index; it determines one bit of the index along the axis.
struct AxisBit {
  Dim dim = Dim::Register;
  unsigned bit = 0;
};

/// For each bit of the index along the axis, lowest first, the register, lane or warp bit that determines it. The bits
/// are split into bits of chunks, lanes and steps.
struct AxisBits {
  std::vector<AxisBit> bits;
  /// bits[0] to bits[chunkBits - 1] select a register of a chunk, the next `laneBits` bits select a lane, and the
  /// remaining bits select a step.
  unsigned chunkBits = 0, laneBits = 0;

  unsigned numSteps() const { return 1u << (bits.size() - chunkBits - laneBits); }
  /// Returns the contribution of bit `bit` of the register, lane or warp index to the index of the step.
  unsigned stepOf(Dim dim, unsigned bit) const {
    for (unsigned i = chunkBits + laneBits; i < bits.size(); ++i)
      if (bits[i].dim == dim && bits[i].bit == bit)
        return 1u << (i - chunkBits - laneBits);
    return 0;
  }
};

} // namespace

/// For each coordinate bit along the axis, finds the register, lane or warp bit that flips this coordinate bit. Returns
/// nullopt unless each coordinate bit is flipped by exactly one such bit, which must flip no other coordinate bit.
static std::optional<std::vector<AxisBit>> findAxisBits(const LinearLayout &layout, unsigned axis) {
  Dim along = tensorDim(axis);
  std::vector<std::optional<AxisBit>> found(layout.getOutDimSizeLog2(along));
  for (Dim dim : {Dim::Register, Dim::Lane, Dim::Warp})
    for (unsigned bit = 0; bit < layout.getInDimSizeLog2(dim); ++bit) {
      Coords basis = layout.getBasis(dim, bit);
      uint32_t index = basis[along];
      if (!index)
        continue;
      bool isAlone = llvm::all_of(basis, [&](const DimIndex &item) { return item.dim == along || item.index == 0; });
      if (!isAlone || !std::has_single_bit(index) || found[std::countr_zero(index)])
        return std::nullopt;
      found[std::countr_zero(index)] = AxisBit{dim, bit};
    }
  std::vector<AxisBit> bits;
  for (const std::optional<AxisBit> &bit : found) {
    if (!bit)
      return std::nullopt;
    bits.push_back(*bit);
  }
  return bits;
}

static std::optional<AxisBits> splitAxis(const LinearLayout &layout, unsigned axis) {
  auto found = findAxisBits(layout, axis);
  if (!found)
    return std::nullopt;
  AxisBits split{.bits = std::move(*found)};
  auto isOf = [&](unsigned i, Dim dim) { return i < split.bits.size() && split.bits[i].dim == dim; };
  unsigned &chunk = split.chunkBits, &lanes = split.laneBits;
  while (isOf(chunk, Dim::Register))
    ++chunk;
  while (isOf(chunk + lanes, Dim::Lane) && split.bits[chunk + lanes].bit == split.bits[chunk].bit + lanes)
    ++lanes;
  for (unsigned i = chunk + lanes; i < split.bits.size(); ++i)
    if (isOf(i, Dim::Lane))
      return std::nullopt;
  return split;
}

static void addRows(const LinearLayout &layout, unsigned axis, const AxisBits &split, ScanPlan &plan) {
  Dim along = tensorDim(axis);
  unsigned count = layout.getInDimSize(Dim::Register), size = layout.getOutDimSize(along);
  // Maps the flattened coordinates along all dimensions except the axis to a row, which is a map from the position in
  // scan order to the register.
  std::map<uint64_t, std::map<unsigned, unsigned>> rows;
  plan.representative.resize(count);
  for (unsigned reg = 0; reg < count; ++reg) {
    Coords coords = layout.apply({{Dim::Register, int32_t(reg)}});
    unsigned index = coords[along];
    for (DimIndex &item : coords)
      if (item.dim == along)
        item.index = 0;
    unsigned position = plan.isReverse ? size - 1 - index : index;
    plan.representative[reg] = rows[layout.flattenOut(coords)].emplace(position, reg).first->second;
  }
  for (const auto &[other, registers] : rows) {
    std::vector<ScanPlan::Chunk> &chunks = plan.rows.emplace_back();
    for (auto [position, reg] : registers) {
      if (chunks.empty() || chunks.back().registers.size() == size_t(1) << split.chunkBits) {
        unsigned step = 0;
        for (unsigned bit = 0; reg >> bit; ++bit)
          if (reg >> bit & 1)
            step |= split.stepOf(Dim::Register, bit);
        chunks.push_back({{}, step});
      }
      chunks.back().registers.push_back(reg);
    }
  }
}

static ScanExchange planExchange(const LinearLayout &layout, unsigned axis, const AxisBits &split) {
  Dim along = tensorDim(axis);
  const DimBits ins[] = {{Dim::Register, uint8_t(layout.getInDimSizeLog2(Dim::Register))},
                         {Dim::Lane, uint8_t(layout.getInDimSizeLog2(Dim::Lane))},
                         {Dim::Warp, uint8_t(layout.getInDimSizeLog2(Dim::Warp))}};
  unsigned rowBits = layout.getTotalOutBits() - layout.getOutDimSizeLog2(along);
  unsigned stepBits = std::countr_zero(split.numSteps());
  bool isSideBySide = (1u << rowBits) <= kMaxRowsSideBySide;
  unsigned rowShift = isSideBySide ? stepBits : 0, stepShift = isSideBySide ? 0 : rowBits;

  ScanExchange exchange;
  exchange.stepStride = 1u << stepShift;
  exchange.elements = int64_t(1) << (rowBits + stepBits);
  const DimBits outs[] = {{Dim::Offset, uint8_t(rowBits + stepBits)}};
  exchange.storeOffset = exchange.loadOffset = LinearLayout::zeros(ins, outs);
  for (const DimBits &in : ins)
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      Coords basis = layout.getBasis(in.dim, bit);
      uint64_t row = 0;
      unsigned shift = 0;
      for (const DimBits &out : layout.getOutDims()) {
        if (out.dim == along)
          continue;
        row |= uint64_t(basis[out.dim]) << shift;
        shift += out.bits;
      }
      const DimIndex load[] = {{Dim::Offset, int32_t(row << rowShift)}};
      const DimIndex store[] = {{Dim::Offset, int32_t(row << rowShift | split.stepOf(in.dim, bit) << stepShift)}};
      exchange.loadOffset.setBasis(in.dim, bit, load);
      exchange.storeOffset.setBasis(in.dim, bit, store);
    }
  return exchange;
}

std::optional<ScanPlan> planScan(const LinearLayout &layout, unsigned axis, bool isReverse) {
  std::optional<AxisBits> split = splitAxis(layout, axis);
  if (!split)
    return std::nullopt;
  ScanPlan plan;
  plan.isReverse = isReverse;
  plan.laneBits = split->laneBits;
  plan.firstLaneBit = plan.laneBits ? split->bits[split->chunkBits].bit : 0;
  plan.numSteps = split->numSteps();
  addRows(layout, axis, *split, plan);
  for (unsigned bit = 0; bit < layout.getInDimSizeLog2(Dim::Warp); ++bit)
    plan.warpSteps.push_back(split->stepOf(Dim::Warp, bit));
  if (llvm::any_of(plan.warpSteps, [](unsigned step) { return step != 0; }))
    plan.exchange = planExchange(layout, axis, *split);
  return plan;
}

int64_t exchangeBytes(const ScanExchange &exchange, unsigned elementBits) {
  return llvm::alignTo(exchange.elements * elementBits / 8, 16);
}

} // namespace hocket
