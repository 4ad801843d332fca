//===- KernelFactsTest.cpp - Serialization of facts about a kernel -----------------------===//
#include "runtime/KernelFacts.h"

#include <gtest/gtest.h>

using namespace hocket;

static KernelFacts someFacts() {
  KernelFacts facts;
  facts.name = "softmax";
  facts.target = "gfx950";
  facts.numWarps = 8;
  facts.warpSize = 64;
  facts.sharedBytes = 4096;
  facts.parameters = {"x", "out", "shape[1]"};
  facts.implicitArguments = {{ImplicitKind::Scratch, 64, int64_t(1) << 40}};
  facts.warnings.push_back({.file = "a.py", .line = 3, .message = "left undone", .notes = {{"left", "[64]"}}});
  facts.warnings[0].callChain.push_back({"inner", "b.py", 7, "outer"});
  return facts;
}

TEST(KernelFacts, SurviveAsBytes) {
  auto read = factsFromBytes(toBytes(someFacts()));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->name, "softmax");
  EXPECT_EQ(read->threads(), 512);
  EXPECT_EQ(read->sharedBytes, 4096);
  EXPECT_EQ(read->parameters, (std::vector<std::string>{"x", "out", "shape[1]"}));
  EXPECT_EQ(read->implicitArguments, someFacts().implicitArguments);
  ASSERT_EQ(read->warnings.size(), 1u);
  EXPECT_EQ(read->warnings[0].render(), someFacts().warnings[0].render());
  EXPECT_EQ(toBytes(*read), toBytes(someFacts()));
}

TEST(KernelFacts, AreNotReadFromBytesThatEndEarlyOrLate) {
  const std::string bytes = toBytes(someFacts());
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(factsFromBytes(std::string_view(bytes).substr(0, size))) << size;
  EXPECT_FALSE(factsFromBytes(bytes + "x"));
}

TEST(KernelFacts, AreNotReadFromABuildThatKnowsOthers) {
  std::string bytes = toBytes(someFacts());
  size_t fact = bytes.find("int sharedBytes;");
  ASSERT_NE(fact, std::string::npos);
  bytes.replace(fact, 16, "int sharedWords;");
  EXPECT_FALSE(factsFromBytes(bytes));
}

TEST(ImplicitArgument, HasBytesPerLaunchAndPerBlock) {
  ImplicitArgument scratch{ImplicitKind::Scratch, 100, 8};
  EXPECT_EQ(scratch.bytes({1, 1, 1}), 108);
  EXPECT_EQ(scratch.bytes({70000, 65535, 2}), 100 + int64_t(8) * 70000 * 65535 * 2);
}

TEST(ImplicitKind, IsFoundByItsName) {
  EXPECT_EQ(findImplicitKind(nameOf(ImplicitKind::Scratch)), ImplicitKind::Scratch);
  EXPECT_FALSE(findImplicitKind("profiles"));
}
