//===- BankConflicts.cpp - Shared layouts that all lanes can access at once -------===//
#include "layout/BankConflicts.h"

#include "layout/F2Span.h"
#include "layout/VectorAccess.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <set>

namespace hocket {

using Words = std::vector<uint64_t>;

static Words operator+(Words a, const Words &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

static void truncate(Words &words, size_t count) { words.resize(std::min(words.size(), count)); }

/// The lanes served together when each moves `bytes` bytes.
static int32_t lanesPerWavefront(const SharedBanks &banks, int32_t bytes) {
  return std::max(1, banks.count * 4 / std::max(bytes, 4));
}

/// A basis of what both sides' registers span, made of single registers of `a` as far as possible: addresses are then
/// constants rather than XORs of lane bits.
static Words vectorBasis(std::span<const uint64_t> a, std::span<const uint64_t> b) {
  Words common = intersectSpans(a, b);
  F2Span span(common);
  Words single;
  for (uint64_t word : a)
    if (word && span.contains(word))
      single.push_back(word);
  return independentOf(single + common);
}

/// Up to `count` directions that meet neither span(inner, a) nor span(inner, b) outside of span(inner). Where
/// directions of a and b must be paired, the first of one goes with the first of the other: a wide vector (first of b)
/// with a lane of the other side that its own registers reach, so that none of its lanes touches the vector's offsets.
static Words commonComplement(const Words &inner, const Words &a, const Words &b, unsigned totalBits, size_t count) {
  Words shared = extendSpan(inner, intersectSpans(inner + a, inner + b));
  Words onlyA = extendSpan(inner + shared, a);
  Words onlyB = extendSpan(inner + shared, b);
  Words result = extendSpan(inner + shared + onlyA + onlyB, unitWords(totalBits));
  for (size_t i = 0; i < std::min(onlyA.size(), onlyB.size()); ++i)
    result.push_back(onlyA[i] ^ onlyB[i]);
  truncate(result, count);
  return result;
}

namespace {
/// One side of the exchange.
struct Side {
  Words registers, lanes;
  /// Vectors beyond the common ones.
  Words wide;

  Side(const LinearLayout &layout, std::span<const Dim> dims) {
    LinearLayout ordered = layout.transposeOuts(dims);
    std::span<const uint64_t> reg = ordered.getFlatBases(Dim::Register), lane = ordered.getFlatBases(Dim::Lane);
    registers.assign(reg.begin(), reg.end());
    lanes.assign(lane.begin(), lane.end());
  }
  /// The lanes of one wavefront, those first that the other side's registers reach: see `commonComplement`.
  Words wavefront(const SharedBanks &banks, int32_t bytes, const Side &other) const {
    Words served = lanes;
    truncate(served, log2Exact(lanesPerWavefront(banks, bytes)));
    F2Span reached(other.registers);
    Words first, last;
    for (uint64_t lane : served)
      (reached.contains(lane) ? first : last).push_back(lane);
    return first + last;
  }
};

/// Sizes that do not change while variants are tried.
struct Exchange {
  unsigned totalBits;
  int32_t elementBytes;
  SharedBanks banks;
  /// Vectors that both sides can use.
  Words vector;

  int32_t widthOf(const Side &side) const { return 1 << (vector.size() + side.wide.size()); }
  int32_t bytesOf(const Side &side) const { return elementBytes * widthOf(side); }
};
} // namespace

/// The elements that offset bits stand for, lowest bit first. At most one side has wide vectors; it comes last.
static Words chooseOffsets(const Exchange &exchange, const Side &narrow, const Side &wide) {
  const Words &vector = exchange.vector;
  Words lanesA = narrow.wavefront(exchange.banks, exchange.bytesOf(narrow), wide);
  Words lanesB = wide.wide + wide.wavefront(exchange.banks, exchange.bytesOf(wide), narrow);

  // Elements that share a word: those of a wider vector, or those that lanes of both sides reach, so that a wavefront
  // touches few words.
  Words inWord;
  int32_t vectorBytes = exchange.elementBytes << vector.size();
  if (vectorBytes < 4) {
    inWord = extendSpan(vector,
                        wide.wide + intersectSpans(lanesA, lanesB) + lanesA + lanesB + unitWords(exchange.totalBits));
    truncate(inWord, log2Exact(4 / vectorBytes));
  }
  Words inner = vector + inWord;

  size_t bankBits = log2Exact(std::max(1, exchange.banks.count * 4 / std::max(4, vectorBytes)));
  size_t outer = exchange.totalBits - inner.size();
  Words segments = commonComplement(inner, lanesA, lanesB, exchange.totalBits, outer - std::min(outer, bankBits));
  return inner + extendSpan(inner + segments, lanesB + lanesA + unitWords(exchange.totalBits)) + segments;
}

SharedLinear optimalSwizzle(const LinearLayout &src, const LinearLayout &dst, int32_t elementBits,
                            const SharedBanks &banks) {
  assert(elementBits >= 8 && src.getTotalOutBits() == dst.getTotalOutBits());
  InlineVector<Dim, LinearLayout::kMaxDims> order;
  for (const DimBits &out : src.getOutDims())
    order.push_back(out.dim);
  Side from(src, order), to(dst, order);
  size_t maxVectorBits = log2Exact(std::max(1, banks.maxAccessBits / elementBits));
  Exchange exchange{src.getTotalOutBits(), elementBits / 8, banks, vectorBasis(from.registers, to.registers)};
  truncate(exchange.vector, maxVectorBits);

  auto widthOf = [&](const LinearLayout &side, const LinearLayout &shared, const Side &vectors) {
    return planVectorAccess(side.invertAndCompose(shared), exchange.widthOf(vectors)).width;
  };
  // Lanes of unusual layouts may touch the offset bits of vectors. Then accesses are narrower than the banks were
  // chosen for, and another choice is better.
  auto tryBuild = [&](const Side &narrow, const Side &wide) -> std::optional<SharedLinear> {
    const DimBits ins[] = {{Dim::Offset, uint8_t(exchange.totalBits)}, {Dim::Block, 0}};
    LinearLayout shared = LinearLayout::zeros(ins, src.getOutDims());
    unsigned bit = 0;
    for (uint64_t element : chooseOffsets(exchange, narrow, wide))
      shared.setBasis(Dim::Offset, bit++, shared.unflattenOut(element));
    assert(bit == exchange.totalBits && shared.isInvertible());
    SharedLinear result{shared, widthOf(src, shared, from), widthOf(dst, shared, to)};
    bool isAsPlanned = result.srcWidth == exchange.widthOf(from) && result.dstWidth == exchange.widthOf(to);
    return isAsPlanned ? std::optional(result) : std::nullopt;
  };
  auto tryWiden = [&](Side &wide, const Side &narrow) -> std::optional<SharedLinear> {
    wide.wide = extendSpan(exchange.vector, wide.registers);
    truncate(wide.wide, maxVectorBits - exchange.vector.size());
    std::optional<SharedLinear> result = wide.wide.empty() ? std::nullopt : tryBuild(narrow, wide);
    wide.wide.clear();
    return result;
  };
  for (;; exchange.vector.pop_back()) {
    if (auto shared = tryWiden(to, from))
      return *shared;
    if (auto shared = tryWiden(from, to))
      return *shared;
    if (auto shared = tryBuild(from, to))
      return *shared;
  }
}

/// Wavefronts of one group of lanes that access `bytes` bytes each.
static Wavefronts countGroup(std::span<const int64_t> addresses, int32_t bytes, int32_t banks) {
  std::set<int64_t> words;
  for (int64_t address : addresses)
    for (int64_t word = address / 4; word <= (address + bytes - 1) / 4; ++word)
      words.insert(word);
  std::map<int64_t, int64_t> perBank;
  int64_t most = 0;
  for (int64_t word : words)
    most = std::max(most, ++perBank[word % banks]);
  return {most, (int64_t(words.size()) + banks - 1) / banks};
}

Wavefronts countWavefronts(const LinearLayout &registers, const LinearLayout &shared, int32_t elementBits,
                           const SharedBanks &banks) {
  LinearLayout toOffset = registers.invertAndCompose(shared);
  VectorAccess plan = planVectorAccess(toOffset, std::max(1, banks.maxAccessBits / elementBits));
  int32_t bytes = plan.width * elementBits / 8;
  int32_t lanes = registers.getInDimSize(Dim::Lane);
  int32_t together = std::min(lanes, lanesPerWavefront(banks, bytes));

  // Other warps add the same XOR to all addresses, which maps banks one to one: warp 0 stands for all.
  Wavefronts total;
  for (const std::vector<int32_t> &group : plan.groups)
    for (int32_t first = 0; first < lanes; first += together) {
      std::vector<int64_t> addresses;
      for (int32_t lane = first; lane < first + together; ++lane)
        addresses.push_back(int64_t(toOffset.apply({{Dim::Register, group[0]}, {Dim::Lane, lane}})[Dim::Offset]) *
                            elementBits / 8);
      Wavefronts wavefronts = countGroup(addresses, bytes, banks.count);
      total.actual += wavefronts.actual;
      total.ideal += wavefronts.ideal;
    }
  return total;
}

} // namespace hocket
