//===- F2Span.cpp - Elimination over F2 -------------------------------------------===//
#include "layout/F2Span.h"

#include <cassert>

namespace hocket {

F2Span::Reduced F2Span::reduce(uint64_t word) const {
  uint64_t recipe = 0;
  // Visits the set bits of `word` that are leading bits of stored words, from the highest down. The XOR with words[i]
  // changes only bits up to bit i.
  for (uint64_t open = word & leading; open;) {
    unsigned top = 63 - std::countl_zero(open);
    word ^= words[top];
    recipe ^= recipes[top];
    open = word & leading & ((uint64_t(1) << top) - 1);
  }
  return {word, recipe};
}

bool F2Span::insert(uint64_t word) {
  assert(inserted < 64 && "recipes have 64 bits");
  Reduced reduced = reduce(word);
  uint64_t self = uint64_t(1) << inserted++;
  if (!reduced.rest)
    return false;
  unsigned top = 63 - std::countl_zero(reduced.rest);
  words[top] = reduced.rest;
  recipes[top] = reduced.recipe ^ self;
  leading |= uint64_t(1) << top;
  return true;
}

std::optional<uint64_t> F2Span::solve(uint64_t word) const {
  Reduced reduced = reduce(word);
  if (reduced.rest)
    return std::nullopt;
  return reduced.recipe;
}

std::vector<uint64_t> independentOf(std::span<const uint64_t> words) { return extendSpan({}, words); }

std::vector<uint64_t> extendSpan(std::span<const uint64_t> span, std::span<const uint64_t> candidates) {
  F2Span known;
  std::vector<uint64_t> added;
  // Dependent words are not inserted, because F2Span supports at most 64 insertions.
  for (uint64_t word : span)
    if (!known.contains(word))
      known.insert(word);
  for (uint64_t word : candidates)
    if (!known.contains(word)) {
      known.insert(word);
      added.push_back(word);
    }
  return added;
}

std::vector<uint64_t> intersectSpans(std::span<const uint64_t> a, std::span<const uint64_t> b) {
  // If a word of b depends on the words of a and on earlier words of b, then an XOR of words of a equals an XOR of
  // words of b. This XOR lies in both spans. Different words of b give independent XORs.
  std::vector<uint64_t> generators = independentOf(a);
  unsigned fromA = generators.size();
  F2Span joint(generators);
  std::vector<uint64_t> common;
  for (uint64_t word : independentOf(b)) {
    std::optional<uint64_t> recipe = joint.solve(word);
    if (!recipe) {
      joint.insert(word);
      generators.push_back(word);
      continue;
    }
    uint64_t part = 0;
    for (unsigned i = 0; i < fromA; ++i)
      if (*recipe >> i & 1)
        part ^= generators[i];
    common.push_back(part);
  }
  return common;
}

std::vector<uint64_t> unitWords(unsigned bits) {
  std::vector<uint64_t> units(bits);
  for (unsigned i = 0; i < bits; ++i)
    units[i] = uint64_t(1) << i;
  return units;
}

} // namespace hocket
