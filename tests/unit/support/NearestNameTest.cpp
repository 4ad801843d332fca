//===- NearestNameTest.cpp - "did you mean" ----------------------------------------===//
#include "support/NearestName.h"
#include <gtest/gtest.h>
#include <vector>

using namespace hocket;

static std::string nearest(std::string_view name) {
  static const std::vector<std::string> candidates = {"program_id", "num_programs", "load", "store", "BLOCK", "x"};
  return nearestName(name, candidates);
}

TEST(NearestName, oneEdit) {
  EXPECT_EQ(nearest("laod"), "load");
  EXPECT_EQ(nearest("stores"), "store");
  EXPECT_EQ(nearest("stre"), "store");
  EXPECT_EQ(nearest("Store"), "store");
}

TEST(NearestName, aThirdOfTheNameMayBeWrong) {
  EXPECT_EQ(nearest("programid"), "program_id");
  EXPECT_EQ(nearest("progam_idx"), "program_id");
  EXPECT_EQ(nearest("block"), "BLOCK");
}

TEST(NearestName, nothingIsClose) {
  EXPECT_EQ(nearest("matmul"), "");
  EXPECT_EQ(nearest("y"), ""); // "x" shares no letter with it
  EXPECT_EQ(nearest("X"), "x");
  EXPECT_EQ(nearest("load"), ""); // a name does not suggest itself
}
