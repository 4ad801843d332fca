//===- F2Span.h - Subspaces of bit vectors over F2, with coordinates ---------------===//
//
// A *span* is the set of all XORs of some 64-bit words, its generators. A span is kept in echelon form, which has at
// most one word per leading bit. Computing the membership or the coordinates of a word therefore takes at most 64 XORs.
// Each stored word has a *recipe*: a mask of the generators whose XOR is the word. Bit i of a recipe represents the
// argument of the i-th call of `insert`, counted from 0. Example, with 4-bit words:
//
//     insert(0b0110)   leading bit 2: 0110 = {0}
//     insert(0b0101)   0101 ^ 0110 = 0011, leading bit 1: 0011 = {0, 1}
//     solve(0b0101)    0101 ^ 0110 ^ 0011 = 0, so 0101 = {0} ^ {0, 1} = {1}
//     insert(0b0011)   reduces to 0: dependent, not stored; solve never uses generator 2
//
// Linear layouts use this class for rank, inverse, free bits, intersections and complements.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_LAYOUT_F2SPAN_H
#define HOCKET_LAYOUT_F2SPAN_H

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace hocket {

class F2Span {
public:
  F2Span() = default;
  explicit F2Span(std::span<const uint64_t> generators) {
    for (uint64_t generator : generators)
      insert(generator);
  }

  /// Adds a generator. Returns true if the generator is independent of the earlier generators.
  bool insert(uint64_t word);
  bool contains(uint64_t word) const { return reduce(word).rest == 0; }
  /// Returns a mask of generators whose XOR is `word`; nullopt if `word` is not in the span. The mask never contains
  /// dependent generators.
  std::optional<uint64_t> solve(uint64_t word) const;
  unsigned rank() const { return std::popcount(leading); }

private:
  struct Reduced {
    uint64_t rest, recipe;
  };
  Reduced reduce(uint64_t word) const;

  std::array<uint64_t, 64> words{}, recipes{};
  /// Bit i is set if words[i] is in use. The highest set bit of words[i] is bit i.
  uint64_t leading = 0;
  unsigned inserted = 0;
};

/// Returns, in order, each of `words` that is independent of the words before it.
std::vector<uint64_t> independentOf(std::span<const uint64_t> words);
/// Returns a basis of the intersection of the spans of `a` and `b`.
std::vector<uint64_t> intersectSpans(std::span<const uint64_t> a, std::span<const uint64_t> b);
/// Returns the candidates that are independent of `span` and of earlier candidates. Together with `span`, the returned
/// words span the same subspace as `span` and all candidates.
std::vector<uint64_t> extendSpan(std::span<const uint64_t> span, std::span<const uint64_t> candidates);
/// Returns the words 1, 2, 4, ..., 2^(bits-1).
std::vector<uint64_t> unitWords(unsigned bits);

} // namespace hocket

#endif
