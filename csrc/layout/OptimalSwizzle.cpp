//===- OptimalSwizzle.cpp - Shared layouts without bank conflicts -----------------===//
#include "layout/OptimalSwizzle.h"

#include "layout/F2Span.h"
#include "layout/VectorAccess.h"

#include <algorithm>
#include <cassert>

namespace hocket {

using Words = std::vector<uint64_t>;

static Words operator+(Words a, const Words &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

static void truncate(Words &words, size_t count) { words.resize(std::min(words.size(), count)); }

/// Returns a basis of the intersection of the spans of the register bases `a` and `b`. The basis consists of elements
/// of `a` as far as possible, because register offsets are then constants rather than XORs with lane bits.
static Words vectorBasis(std::span<const uint64_t> a, std::span<const uint64_t> b) {
  Words common = intersectSpans(a, b);
  F2Span span(common);
  Words single;
  for (uint64_t word : a)
    if (word && span.contains(word))
      single.push_back(word);
  return independentOf(single + common);
}

/// Returns up to `count` independent words. Modulo span(inner), the span of these words intersects neither the span of
/// `a` nor the span of `b`. The result contains XORs of the i-th word of `a` outside of span(`b`) and the i-th word of
/// `b` outside of span(`a`). Callers list the words of wide vectors first in `b`. Callers list the words that registers
/// of the wide side reach first in `a`, so that no lane of the wide side changes the offset bits of that side's
/// vectors.
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

/// Returns a word outside of both spans; nullopt if one of the spans contains all candidates. (Over F2, two proper
/// subspaces never cover the whole space.)
static std::optional<uint64_t> outsideOf(const F2Span &a, const F2Span &b, const Words &candidates) {
  std::optional<uint64_t> outsideA, outsideB;
  for (uint64_t word : candidates) {
    bool inA = a.contains(word), inB = b.contains(word);
    if (!inA && !inB)
      return word;
    if (!inA)
      outsideA = word;
    if (!inB)
      outsideB = word;
  }
  return outsideA && outsideB ? std::optional(*outsideA ^ *outsideB) : std::nullopt;
}

namespace {
/// One side of a layout conversion through shared memory: the side that stores, or the side that loads.
struct Side {
  SharedAccess access;
  Words registers, lanes;
  /// Words that, together with Exchange::vector, span the wider vectors of this side.
  Words wide;

  Side(SharedAccess access, const LinearLayout &layout, std::span<const Dim> dims) : access(access) {
    LinearLayout ordered = layout.transposeOuts(dims);
    std::span<const uint64_t> reg = ordered.getFlatBases(Dim::Register), lane = ordered.getFlatBases(Dim::Lane);
    registers.assign(reg.begin(), reg.end());
    lanes.assign(lane.begin(), lane.end());
  }
  /// Returns words whose XORs are the differences between elements in the lanes of one phase. Words in the span of the
  /// other side's register bases come first, as `commonComplement` requires.
  Words phase(const LanePhases &phases, const Side &other) const {
    F2Span reached(other.registers);
    Words first, last;
    for (uint8_t together : phases.together) {
      uint64_t element = 0;
      for (size_t bit = 0; bit < lanes.size(); ++bit)
        element ^= together >> bit & 1 ? lanes[bit] : 0;
      if (element)
        (reached.contains(element) ? first : last).push_back(element);
    }
    return first + last;
  }
};

/// Data of a layout conversion through shared memory that both sides share.
struct Exchange {
  unsigned totalBits;
  int32_t elementBytes;
  SharedBanks banks;
  /// Basis of the vectors that both the storing and the loading side can use.
  Words vector;

  int32_t widthOf(const Side &side) const { return 1 << (vector.size() + side.wide.size()); }
  const LanePhases &phasesOf(const Side &side) const {
    return banks.phasesOf(side.access, elementBytes * widthOf(side));
  }
  int32_t vectorBytes() const { return elementBytes << vector.size(); }
  /// Returns the number of offset bits that select the bank for `side`. These bits are above the bits within a word or
  /// vector.
  size_t bankBits(const Side &side) const {
    return log2Exact(std::max(1, phasesOf(side).banks * 4 / std::max(4, vectorBytes())));
  }
};
} // namespace

/// Returns the element that each offset bit represents, lowest bit first. If the vectors of the two sides have
/// different widths, `wide` must be the side with the wider vectors.
static Words chooseOffsets(const Exchange &exchange, const Side &narrow, const Side &wide) {
  const Words &vector = exchange.vector;
  Words lanesA = narrow.phase(exchange.phasesOf(narrow), wide);
  Words lanesB = wide.wide + wide.phase(exchange.phasesOf(wide), narrow);
  Words anything = lanesB + lanesA + unitWords(exchange.totalBits);

  // Chooses the elements of one 4-byte word: first elements of a wider vector, then elements that lanes of both sides
  // reach, so that a wavefront accesses few words.
  Words inWord;
  if (exchange.vectorBytes() < 4) {
    inWord = extendSpan(vector, wide.wide + intersectSpans(lanesA, lanesB) + lanesA + anything);
    truncate(inWord, log2Exact(4 / exchange.vectorBytes()));
  }
  Words inner = vector + inWord;

  size_t bitsA = exchange.bankBits(narrow), bitsB = exchange.bankBits(wide);
  size_t outer = exchange.totalBits - inner.size(), bankBits = std::min(outer, std::max(bitsA, bitsB));
  Words segments = commonComplement(inner, lanesA, lanesB, exchange.totalBits, outer - bankBits);

  // Elements of the offset bits that select a bank for the side with more banks, and a segment for the side with fewer
  // banks.
  Words high;
  const Words &lanesOfFewer = bitsA < bitsB ? lanesA : lanesB;
  while (bankBits > std::min(bitsA, bitsB) + high.size()) {
    F2Span conflicts(inner + segments + high + lanesOfFewer), vectors(inner + segments + high + wide.wide);
    std::optional<uint64_t> direction = outsideOf(conflicts, vectors, anything);
    if (!direction)
      break;
    high.push_back(*direction);
  }
  return inner + extendSpan(inner + segments + high, anything) + high + segments;
}

SharedLinear optimalSwizzle(const LinearLayout &src, const LinearLayout &dst, int32_t elementBits,
                            const SharedBanks &banks) {
  assert(elementBits >= 8 && src.getTotalOutBits() == dst.getTotalOutBits());
  BoundedVector<Dim, LinearLayout::kMaxDims> order;
  for (const DimBits &out : src.getOutDims())
    order.push_back(out.dim);
  Side from(SharedAccess::Store, src, order), to(SharedAccess::Load, dst, order);
  size_t maxVectorBits = log2Exact(std::max(1, banks.maxAccessBits / elementBits));
  Exchange exchange{src.getTotalOutBits(), elementBits / 8, banks, vectorBasis(from.registers, to.registers)};
  truncate(exchange.vector, maxVectorBits);

  auto widthOf = [&](const LinearLayout &side, const LinearLayout &shared, const Side &vectors) {
    return planVectorAccess(side.invertAndCompose(shared), exchange.widthOf(vectors)).width;
  };
  // In unusual layouts, lanes change the offset bits within a vector, so that the accesses are narrower than
  // Exchange::widthOf. Such a result is rejected.
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

} // namespace hocket
