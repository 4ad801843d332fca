//===- F2SpanTest.cpp - Subspaces of bit vectors ----------------------------------===//
#include "layout/F2Span.h"

#include <gtest/gtest.h>
#include <random>

using namespace hocket;

TEST(F2Span, ExampleOfTheHeader) {
  F2Span span;
  EXPECT_TRUE(span.insert(0b0110));
  EXPECT_TRUE(span.insert(0b0101));
  EXPECT_EQ(span.solve(0b0101), 0b10u);
  EXPECT_FALSE(span.insert(0b0011));
  EXPECT_EQ(span.solve(0b0011), 0b11u);
  EXPECT_EQ(span.solve(0b1000), std::nullopt);
  EXPECT_EQ(span.rank(), 2u);
}

TEST(F2Span, RecipesRebuildTheWord) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<uint64_t> generators(20);
    for (uint64_t &word : generators)
      word = random() & 0xffff;
    F2Span span(generators);
    uint64_t chosen = random() & 0xfffff, word = 0;
    for (unsigned i = 0; i < 20; ++i)
      word ^= chosen >> i & 1 ? generators[i] : 0;
    uint64_t rebuilt = 0, recipe = span.solve(word).value();
    for (unsigned i = 0; i < 20; ++i)
      rebuilt ^= recipe >> i & 1 ? generators[i] : 0;
    EXPECT_EQ(rebuilt, word);
  }
}

TEST(F2Span, IntersectionHasTheDimensionThatTheSumLeaves) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 200; ++round) {
    std::vector<uint64_t> a(1 + round % 6), b(1 + round % 7);
    for (uint64_t &word : a)
      word = random() & 0xff;
    for (uint64_t &word : b)
      word = random() & 0xff;
    std::vector<uint64_t> common = intersectSpans(a, b);
    F2Span spanA(a), spanB(b), both(a);
    for (uint64_t word : b)
      both.insert(word);
    EXPECT_EQ(F2Span(common).rank(), common.size());
    EXPECT_EQ(common.size(), spanA.rank() + spanB.rank() - both.rank());
    for (uint64_t word : common)
      EXPECT_TRUE(spanA.contains(word) && spanB.contains(word));
  }
}

TEST(F2Span, ExtensionCompletesABasis) {
  const uint64_t some[] = {0b011, 0b110};
  EXPECT_EQ(extendSpan(some, unitWords(3)), std::vector<uint64_t>{0b001});
  EXPECT_EQ(independentOf(std::vector<uint64_t>{0, 3, 3, 1, 2}), (std::vector<uint64_t>{3, 1}));
}
