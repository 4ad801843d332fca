//===- F2Span.h - Subspaces of bit vectors, with a memory of how they were made ----===//
//
// A *span* is the set of all XORs of some 64-bit words, its generators. It is kept in echelon form: at most one word
// per leading bit, so membership, rank and coordinates take at most 64 XORs. Each word remembers which generators it is
// the XOR of (its *recipe*, a mask with one bit per `insert`, counted from 0). Example, with 4-bit words:
//
//     insert(0b0110)   leading bit 2: 0110 = {0}
//     insert(0b0101)   0101 ^ 0110 = 0011, leading bit 1: 0011 = {0, 1}
//     solve(0b0101)    0101 ^ 0110 ^ 0011 = 0, so 0101 = {0} ^ {0, 1} = {1}
//     insert(0b0011)   reduces to 0: dependent, not stored; solve never uses generator 2
//
// Everything that linear layouts need of linear algebra (rank, inverse, free bits, intersection, complement) is a few
// lines over this.
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

  /// Adds a generator; true if it was independent of those before.
  bool insert(uint64_t word);
  bool contains(uint64_t word) const { return reduce(word).rest == 0; }
  /// The generators whose XOR is `word` (a mask), dependent ones never among them.
  std::optional<uint64_t> solve(uint64_t word) const;
  unsigned rank() const { return std::popcount(leading); }

private:
  struct Reduced {
    uint64_t rest, recipe;
  };
  Reduced reduce(uint64_t word) const;

  std::array<uint64_t, 64> words{}, recipes{};
  /// Bit i: words[i] is set and has leading bit i.
  uint64_t leading = 0;
  unsigned inserted = 0;
};

/// The independent ones among `words`, in order.
std::vector<uint64_t> independentOf(std::span<const uint64_t> words);
/// A basis of what the spans of `a` and `b` share.
std::vector<uint64_t> intersectSpans(std::span<const uint64_t> a, std::span<const uint64_t> b);
/// Those of `candidates` that, taken in order, extend a basis of `span`: together they generate both.
std::vector<uint64_t> extendSpan(std::span<const uint64_t> span, std::span<const uint64_t> candidates);
/// The words 1, 2, 4, .., 2^(bits-1).
std::vector<uint64_t> unitWords(unsigned bits);

} // namespace hocket

#endif
