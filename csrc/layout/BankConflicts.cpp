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

/// Up to `count` directions that meet neither span(inner, a) nor span(inner, b) outside of span(inner).
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

/// The swizzle for given vectors, the steps 2 to 4 of the header: word, segments, banks.
static SharedLinear swizzleForVector(const LinearLayout &src, const LinearLayout &dst, const Words &vector,
                                     int32_t elementBytes, const SharedBanks &banks) {
  unsigned totalBits = src.getTotalOutBits();
  int32_t vectorBytes = elementBytes << vector.size();
  auto lanesOf = [&](const LinearLayout &layout) {
    std::span<const uint64_t> bases = layout.getFlatBases(Dim::Lane);
    Words lanes(bases.begin(), bases.end());
    truncate(lanes, log2Exact(lanesPerWavefront(banks, vectorBytes)));
    return lanes;
  };
  Words lanesA = lanesOf(src), lanesB = lanesOf(dst);

  // Elements that share a word: best those that lanes of both sides reach, so that a wavefront touches few words.
  Words inWord;
  if (vectorBytes < 4) {
    inWord = extendSpan(vector, intersectSpans(lanesA, lanesB) + lanesA + lanesB + unitWords(totalBits));
    truncate(inWord, log2Exact(4 / vectorBytes));
  }
  Words inner = vector + inWord;

  size_t bankBits = log2Exact(lanesPerWavefront(banks, vectorBytes));
  size_t outer = totalBits - inner.size();
  Words segments = commonComplement(inner, lanesA, lanesB, totalBits, outer - std::min(outer, bankBits));
  Words bank = extendSpan(inner + segments, lanesA + lanesB + unitWords(totalBits));

  const DimBits ins[] = {{Dim::Offset, uint8_t(totalBits)}, {Dim::Block, 0}};
  LinearLayout shared = LinearLayout::zeros(ins, src.getOutDims());
  unsigned bit = 0;
  for (uint64_t element : inner + bank + segments)
    shared.setBasis(Dim::Offset, bit++, shared.unflattenOut(element));
  assert(bit == totalBits && shared.isInvertible());
  return {shared, int32_t(1) << vector.size()};
}

SharedLinear optimalSwizzle(const LinearLayout &src, const LinearLayout &dst, int32_t elementBits,
                            const SharedBanks &banks) {
  assert(elementBits >= 8 && src.getTotalOutBits() == dst.getTotalOutBits());
  InlineVector<Dim, LinearLayout::kMaxDims> order;
  for (const DimBits &out : src.getOutDims())
    order.push_back(out.dim);
  LinearLayout to = dst.transposeOuts(order);

  Words vector = vectorBasis(src.getFlatBases(Dim::Register), to.getFlatBases(Dim::Register));
  truncate(vector, log2Exact(std::max(1, banks.maxAccessBits / elementBits)));
  for (;; vector.pop_back()) {
    SharedLinear shared = swizzleForVector(src, to, vector, elementBits / 8, banks);
    auto usesVectors = [&](const LinearLayout &side) {
      return planVectorAccess(side.invertAndCompose(shared.layout), shared.vectorWidth).width == shared.vectorWidth;
    };
    // Lanes of the two sides may differ by part of a vector; then no placement aligns the vectors of both.
    if (vector.empty() || (usesVectors(src) && usesVectors(to)))
      return shared;
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
